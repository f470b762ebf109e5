// The content of files that a program passes: bytes, text, streams and Blobs.
import { Readable } from "node:stream";
import type { SourceContent } from "../../../../src/memory/source-load.ts";
import { readContent } from "../../../../src/memory/sources/read-content.ts";

const bytes = new TextEncoder().encode("Olá, Lisbon");
const textOf = (read: Uint8Array): string => new TextDecoder().decode(read);

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield bytes.slice(0, 3);
  yield bytes.slice(3);
}

/** A stream of a platform whose streams cannot be iterated. */
function readerOnly(): SourceContent {
  const iterator = pieces();
  return { getReader: () => ({ read: async () => ({ ...(await iterator.next()) }) as never }) };
}

test.each<[string, () => SourceContent]>([
  ["a text", () => "Olá, Lisbon"],
  ["bytes", () => bytes],
  ["a Buffer", () => Buffer.from(bytes)],
  ["an async generator, which splits a character", pieces],
  ["a stream of Node", () => Readable.from([bytes.slice(0, 3), bytes.slice(3)])],
  ["a stream of texts", () => Readable.from(["Olá, ", "Lisbon"])],
  ["the body of a Response", () => new Response(bytes).body!],
  ["a stream with a reader only", readerOnly],
  ["a Blob", () => new Blob([bytes])],
  ["the File of an upload", () => new File([bytes], "a.txt")],
])("%s is read", async (_name, data) => {
  expect(textOf(await readContent(data(), { maxBytes: 100 }))).toBe("Olá, Lisbon");
});

test.each<[string, () => SourceContent, RegExp]>([
  ["longer than the maximum", pieces, /^it is too large: the maximum is 0\.000005 MB$/u],
  ["of numbers", () => Readable.from([1, 2]), /^its stream yields something other than bytes or text$/u],
  [
    "that fails",
    () =>
      Readable.from(
        (async function* () {
          yield "a";
          throw new Error("reset");
        })(),
      ),
    /^its data could not be read: reset$/u,
  ],
])("a stream %s is refused", async (_name, data, message) => {
  await expect(readContent(data(), { maxBytes: 5 })).rejects.toMatchObject({
    code: "source_file_unreadable",
    message: expect.stringMatching(message) as unknown,
  });
});

test("an abort ends the reading with its reason", async () => {
  const controller = new AbortController();
  controller.abort("stop");
  await expect(readContent(pieces(), { maxBytes: 100, signal: controller.signal })).rejects.toBe("stop");
});
