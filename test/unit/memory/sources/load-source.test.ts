// Loading a real folder into a store in memory: new, changed, failed and deleted files.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { StoreError } from "../../../../src/base/errors.ts";
import { type FileSystem, nodeFileSystem } from "../../../../src/memory/sources/file-system.ts";
import { findFiles } from "../../../../src/memory/sources/find-files.ts";
import { loadSource, type LoadSourceOptions } from "../../../../src/memory/sources/load-source.ts";
import type { ReadFile } from "../../../../src/memory/sources/file-reader.ts";
import { readSections } from "../../../../src/memory/sources/read-sections.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { createIds } from "../../../../src/base/ids.ts";
import type { FileProgress } from "../../../../src/memory/source-load.ts";
import { createMemorySourceFiles, type MemorySourceFiles } from "../../../support/memory-source-files.ts";

let folder: string;
let store: MemorySourceFiles;

beforeEach(() => {
  folder = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), "palimpsest-load-"))), "docs");
  mkdirSync(folder);
  store = createMemorySourceFiles();
});

afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content);
const chunking = { maxTokens: 8, overlapTokens: 0, countTokens: (text: string) => text.split(/\s+/u).length };

const readFile: ReadFile = ({ bytes, kind }) => readSections(bytes, kind);

async function load(options: Partial<LoadSourceOptions> = {}) {
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const found = await findFiles([folder], { fileSystem, folder, maxBytes: 1e6 });
  const base = {
    sourceId: "s",
    found,
    fileSystem,
    store,
    ids: createIds(),
    clock: systemClock,
    chunking,
    readFile,
    prune: false,
  };
  return loadSource({ ...base, ...options });
}

const id: unknown = expect.any(String);
const nothing = { added: 0, changed: 0, unchanged: 0, failed: [], skipped: [], gone: [], removed: 0, passages: 0 };

it("loads new files, with locations to cite", async () => {
  write("a.md", "# A\none two\n\n# B\nthree\n");
  write("b.txt", "four");
  expect(await load()).toEqual({ ...nothing, added: 2, passages: 3 });
  expect(store.passagesOf(path.join(folder, "a.md"))).toEqual([
    { id, text: "# A\none two", place: { file: "docs/a.md", heading: "A", lineFrom: 1, lineTo: 2 } },
    { id, text: "# B\nthree", place: { file: "docs/a.md", heading: "B", lineFrom: 4, lineTo: 5 } },
  ]);
});

it("pauses while a long text is cut into passages", async () => {
  write("long.txt", "One two three four five six seven. ".repeat(500));
  let turn = 0;
  const turns = new Set<number>();
  const countTokens = (text: string): number => {
    turns.add(turn);
    return chunking.countTokens(text);
  };
  let isOver = false;
  const tick = (): void => {
    turn += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await load({ chunking: { ...chunking, countTokens } }).finally(() => {
    isOver = true;
  });
  // The event loop came round between passages.
  expect(turns.size).toBeGreaterThan(40);
});

it("a second load adds nothing, and a third only changes", async () => {
  write("a.txt", "one");
  write("b.txt", "two");
  await load();
  expect(await load()).toEqual({ ...nothing, unchanged: 2 });
  write("b.txt", "three");
  write("c.txt", "four");
  expect(await load()).toEqual({ ...nothing, added: 1, changed: 1, unchanged: 1, passages: 2 });
  expect(store.writes.map((line) => path.basename(line))).toEqual(["a.txt", "b.txt", "b.txt", "c.txt"]);
  expect(store.passagesOf(path.join(folder, "b.txt")).map((passage) => passage.text)).toEqual(["three"]);
});

it("reports bad files and loads the rest; recorded once, reported again by the next load", async () => {
  write("a.txt", "one");
  write("b.txt", "");
  write("c.jsonl", "{}\n{");
  write("Makefile", Buffer.from([0, 1, 2]));
  const failed = [
    { name: "docs/b.txt", reason: "it is empty" },
    { name: "docs/c.jsonl", reason: "line 2 is not JSON" },
  ];
  const skipped = [{ name: "docs/Makefile", reason: "it is not text: it contains control characters" }];
  expect(await load()).toEqual({ ...nothing, added: 1, passages: 1, failed, skipped });
  const { length } = store.writes;
  expect(await load()).toEqual({ ...nothing, unchanged: 1, failed, skipped });
  expect(store.writes).toHaveLength(length);
});

it("a file that has become bad keeps its passages, and is loaded again when it is fixed", async () => {
  write("a.txt", "one");
  await load();
  write("a.txt", Buffer.from("61c3", "hex"));
  expect(await load()).toMatchObject({ failed: [{ reason: "it is truncated in the middle of a character" }] });
  expect(store.passagesOf(path.join(folder, "a.txt"))).toHaveLength(1);
  write("a.txt", "one");
  expect(await load()).toEqual({ ...nothing, changed: 1, passages: 1 });
});

it("a file that disappears during the load is a bad file", async () => {
  write("a.txt", "one");
  write("b.txt", "two");
  const read: FileSystem["read"] = (at, signal) => {
    rmSync(path.join(folder, "a.txt"), { force: true });
    return nodeFileSystem.read(at, signal);
  };
  const failed = [{ name: "docs/a.txt", reason: "there is no such file" }];
  expect(await load({ fileSystem: { ...nodeFileSystem, read } })).toEqual({
    ...nothing,
    added: 1,
    passages: 1,
    failed,
  });
});

it("a failure of the store ends the load", async () => {
  write("a.txt", "one");
  const failing = { ...store, replace: () => Promise.reject(new StoreError("store_failed", "down")) };
  await expect(load({ store: failing })).rejects.toThrow("down");
});

it("missing files are reported, and removed only on request", async () => {
  write("a.txt", "one");
  write("b.txt", "two");
  await load();
  rmSync(path.join(folder, "a.txt"));
  const gone = [path.join(folder, "a.txt")];
  expect(await load()).toEqual({ ...nothing, unchanged: 1, gone });
  expect(store.passagesOf(gone[0]!)).toHaveLength(1);
  expect(await load({ prune: true })).toEqual({ ...nothing, unchanged: 1, gone, removed: 1 });
  expect(store.passagesOf(gone[0]!)).toEqual([]);
  expect(await load()).toEqual({ ...nothing, unchanged: 1 });
});

it("a skipped or unreadable file is not missing", async () => {
  write("a.txt", "one");
  await load();
  write("a.txt", "x".repeat(1_000_001));
  expect(await load({ prune: true })).toMatchObject({ gone: [], removed: 0, skipped: [{ name: "docs/a.txt" }] });
  expect(store.passagesOf(path.join(folder, "a.txt"))).toHaveLength(1);
});

it("continues after an interruption", async () => {
  const stop = new AbortController();
  for (const name of ["a.txt", "b.txt", "c.txt"]) write(name, name);
  const seen: FileProgress[] = [];
  const onProgress = (progress: FileProgress) => {
    seen.push(progress);
    if (progress.filesDone === 2) stop.abort("enough");
  };
  await expect(load({ onProgress, signal: stop.signal })).rejects.toBe("enough");
  expect(seen).toEqual([
    { filesDone: 1, files: 3, bytesDone: 5, bytes: 15, name: "docs/a.txt" },
    { filesDone: 2, files: 3, bytesDone: 10, bytes: 15, name: "docs/b.txt" },
  ]);
  expect(await load()).toEqual({ ...nothing, added: 1, unchanged: 2, passages: 1 });
});
