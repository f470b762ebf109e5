// Files and patterns of users that take too long or too much: they run in processes of their own, within limits.
import { createConfinedWork } from "../../src/base/confined/confined-process.ts";
import { createFileReader } from "../../src/memory/sources/file-reader.ts";
import { createLineMatcher } from "../../src/memory/sources/line-matcher.ts";
import { ticksDuring } from "../support/count-ticks.ts";
import { inflatingPdf } from "../support/inflating-pdf.ts";

const refused = (message: string) => ({ code: "source_file_unreadable", message });
/** Takes seconds to make. */
const bomb = inflatingPdf(180);
const slowPattern = { pattern: "(a?){200}a{200}b", texts: ["b", "a".repeat(2000)] };

test("a file that takes too long is refused with the limit, and the event loop runs meanwhile", async () => {
  const read = createFileReader({ seconds: 1, megabytes: 1000 });
  const file = { bytes: bomb, kind: "pdf" as const };
  const ticks = await ticksDuring(() =>
    expect(read(file)).rejects.toMatchObject(
      refused("reading it takes more than 1 seconds. Split the file, or convert it to text"),
    ),
  );
  expect(ticks).toBeGreaterThan(50);
  expect(await read({ bytes: Buffer.from("next"), kind: "text" })).toMatchObject([{ text: "next" }]);
});

test("a file that takes too much memory is refused with the limit", async () => {
  const read = createFileReader({ seconds: 60, megabytes: 120 });
  const reading = read({ bytes: bomb, kind: "pdf" });
  await expect(reading).rejects.toMatchObject(
    refused("reading it takes more than 120 MB of memory. Split the file, or convert it to text"),
  );
});

test("the reason of a file that cannot be read comes from the process, and an abort ends it", async () => {
  const read = createFileReader();
  await expect(read({ bytes: Buffer.from("hello"), kind: "pdf" })).rejects.toMatchObject(
    refused("it is not a PDF, or a damaged one"),
  );
  const stop = new AbortController();
  const reading = read({ bytes: bomb, kind: "pdf" }, stop.signal);
  stop.abort("enough");
  await expect(reading).rejects.toBe("enough");
});

test("an abort is noticed while all processes work, and the work behind it runs", async () => {
  const read = createFileReader();
  const busy = new AbortController();
  const working = [1, 2].map(() => read({ bytes: bomb, kind: "pdf" }, busy.signal).catch(String));
  const stop = new AbortController();
  const waiting = read({ bytes: Buffer.from("waiting"), kind: "text" }, stop.signal);
  const next = read({ bytes: Buffer.from("next"), kind: "text" });
  stop.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  let isOver = false;
  void Promise.race(working).then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  busy.abort("over");
  expect(await Promise.all(working)).toEqual(["over", "over"]);
  expect(await next).toMatchObject([{ text: "next" }]);
});

test("processes that cannot be started fail their requests, and leave room for further ones", async () => {
  const work = createConfinedWork({ module: "sources/none\0", limits: { seconds: 1, megabytes: 100 } });
  for (let request = 0; request < 4; request += 1)
    await expect(work.run({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE" });
});

test("a pattern that takes too long is refused, and the event loop runs meanwhile", async () => {
  const match = createLineMatcher({ seconds: 1, megabytes: 300 });
  const ticks = await ticksDuring(() => expect(match(slowPattern)).rejects.toThrow("takes too long"));
  expect(ticks).toBeGreaterThan(50);
  const { lines } = await match({ pattern: "L(E|A)AVE \\d+", texts: ["no\nleave 1\nleave", "none", "Leave 20"] });
  expect(lines).toEqual([[1], [], [0]]);
});

test.each([
  ["\\p{L}{3}", [0]],
  ["e\\-mail", [1]],
])("the pattern %s is understood", async (pattern, found) => {
  const { lines } = await createLineMatcher()({ pattern, texts: ["été\ne-mail".replace("e-mail", "a e-mail b")] });
  expect(lines[0]).toEqual(expect.arrayContaining(found));
});
