// Server-sent events as they leave the cutter: each whole and by itself, however the network has cut them.
import fc from "fast-check";
import { createEventCutter } from "../../../../src/model/llm/wire/wire-stream.ts";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

function cut(pieces: readonly string[]): { readonly events: readonly string[]; readonly rest: string } {
  const cutter = createEventCutter();
  const events = pieces.flatMap((piece) => cutter.push(Buffer.from(piece)).map(text));
  return { events, rest: text(cutter.rest()) };
}

it("returns an event when its blank line has arrived, and keeps the rest", () => {
  expect(cut(["data: 1\n", "\ndata: 2\n\nda", "ta: 3"])).toEqual({
    events: ["data: 1\n\n", "data: 2\n\n"],
    rest: "data: 3",
  });
});

it.each(["\n", "\r\n", "\r"])("ends lines at %j, and writes them with a line feed", (end) => {
  expect(cut([`event: a${end}data: 1${end}${end}data: 2${end}${end}`])).toEqual({
    events: ["event: a\ndata: 1\n\n", "data: 2\n\n"],
    rest: "",
  });
});

it("returns a line of 2 MB from chunks of 16 bytes as one chunk, so that a reader scans it once", () => {
  const line = `data: ${"x".repeat(2_000_000)}`;
  const pieces = line.match(/.{1,16}/gu) ?? [];
  const { events } = cut([...pieces, "\n", "\n"]);
  expect(events.map((event) => event.length)).toEqual([line.length + 2]);
});

it("loses nothing, wherever the stream is split", () => {
  const streams = fc.array(fc.constantFrom("data: é", "\n", "\n\n", "\r\n", ": ping", "🙂"), { maxLength: 30 });
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 7 }), (parts, size) => {
      const bytes = Buffer.from(parts.join(""));
      const cutter = createEventCutter();
      const seen: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) seen.push(...cutter.push(bytes.subarray(at, at + size)));
      expect(text(Buffer.concat([...seen, cutter.rest()]))).toBe(bytes.toString("utf8").replaceAll("\r\n", "\n"));
    }),
  );
});
