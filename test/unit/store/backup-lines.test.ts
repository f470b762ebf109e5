// The lines of a backup, out of chunks of any size.
import { splitLines } from "../../../src/store/backup/backup-lines.ts";

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function linesOf(chunks: AsyncIterable<Buffer>, maxBytes = 1000) {
  const lines: { readonly number: number; readonly text: string }[] = [];
  for await (const { number, text } of splitLines(chunks, maxBytes)) lines.push({ number, text });
  return lines;
}

const text = 'one\n\n{"a": "👩‍👩‍👧 z\u2028w\\n"}\nlast\n';

it.each([1, 2, 3, 5, 7, 1000])("are the same in chunks of %i bytes", async (size) => {
  const expected = text
    .split("\n")
    .slice(0, -1)
    .map((line, at) => ({ number: at + 1, text: line }));
  expect(await linesOf(chunksOf(Buffer.from(text), size))).toEqual(expected);
});

it("are none in a file without a byte", async () => {
  expect(await linesOf(chunksOf(Buffer.alloc(0), 1))).toEqual([]);
});

it.each([
  ["a line over the maximum", Buffer.from(`12345\n123456\n`), /line 2 is longer than 5 bytes/u],
  ["a line that is not UTF-8", Buffer.from([0x61, 0x0a, 0xc3, 0x0a]), /line 2 is not UTF-8/u],
  ["a last line without a line feed", Buffer.from("12\n34"), /line 2 is truncated/u],
])("%s is an error with its number", async (_, bytes, message) => {
  for (const size of [1, 4, 100]) {
    await expect(linesOf(chunksOf(bytes, size), 5)).rejects.toMatchObject({
      code: "backup_invalid",
      message: expect.stringMatching(message),
    });
  }
});

it("a line of exactly the maximum is read", async () => {
  expect(await linesOf(chunksOf(Buffer.from("12345\n"), 2), 5)).toEqual([{ number: 1, text: "12345" }]);
});

it("a line without an end is not read beyond the maximum", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      given += 1000;
      yield Buffer.alloc(1000, "x");
    }
  }
  await expect(linesOf(endless(), 10_500)).rejects.toThrow(/line 1 is longer than 10500 bytes/u);
  expect(given).toBe(11_000);
});
