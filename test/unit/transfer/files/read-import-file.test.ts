// Reading exported files: streams, folders, ZIPs, and files that are something else.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { readImportFile } from "../../../../src/transfer/files/read-import-file.ts";
import { readMemoryFolder } from "../../../../src/transfer/files/read-memory-folder.ts";
import { zipOf } from "../../../support/zip-bytes.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const folder = useFolderOfTest();

const files = /^conversations(?:-\d+)?\.json$/iu;
const usual = { files, fileName: "conversations.json", holders: ["results", "memories"] };

async function* stream(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function itemsOf(source: Parameters<typeof readImportFile>[0], options = {}): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of readImportFile(source, { ...usual, ...options })) items.push(item);
  return items;
}

/** Reads a text in parts of each size: the result must not depend on it. */
async function ofText(text: string | Buffer): Promise<unknown[]> {
  const bytes = Buffer.from(text as string);
  const [first, ...others] = await Promise.all([1, 7, 100_000].map((size) => itemsOf(stream(bytes, size))));
  for (const other of others) expect(other).toEqual(first);
  return first!;
}

test.each([
  ["a list", '[{"a":1}, {"b":[{"c":"é👋\\u00e9"}]}]', [{ a: 1 }, { b: [{ c: "é👋é" }] }]],
  ["an empty list", " [ ] \n", []],
  ["a byte order mark", '\uFEFF[{"a":1}]', [{ a: 1 }]],
  ["one object", '{"a":{"b":1}}\n', [{ a: { b: 1 } }]],
  ["JSON Lines", '{"a":1}\n{"a":2}\r\n\n{"a":3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  [
    "a list in an object",
    '{"count":2,"next":null,"results":[{"a":1},{"a":2}],"relations":[{"x":1}]}',
    [{ a: 1 }, { a: 2 }],
  ],
  ["other values", '[1, "x", null, [2]]', [1, "x", null, [2]]],
  ["odd keys", '[{"__proto__":{"x":1},"constructor":2}]', [JSON.parse('{"__proto__":{"x":1},"constructor":2}')]],
])("%s", async (_name, text, items) => {
  expect(await ofText(text)).toEqual(items);
});

test.each([
  ["", "is empty"],
  ["  \n", "is empty"],
  ["<!DOCTYPE html>", "is a web page, not JSON"],
  ["PK\u0003\u0004…", "is a ZIP: pass its path"],
  ["SQLite format 3\u0000", "is an SQLite database"],
  ["hello", "is not JSON"],
  ["\u0000[\u0000", "is not UTF-8 text"],
])("%j is refused", async (text, problem) => {
  await expect(ofText(text)).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringContaining(problem),
  });
});

test("compressed and UTF-16 files are refused", async () => {
  await expect(itemsOf(stream(gzipSync("[]"), 100))).rejects.toThrow("compressed with gzip");
  await expect(itemsOf(stream(Buffer.from("\uFEFF[]", "utf16le"), 100))).rejects.toThrow("is not UTF-8 text");
});

test.each([
  ['[{"a":1},{"a":', 1, /is incomplete: it ends at byte 14, in item 2/u],
  ['[{"a":1},{"a":"x', 1, /is incomplete: it ends at byte 16, in item 2/u],
  ['[{"a":1}', 1, /is incomplete: it ends at byte 8, in item 2/u],
  ['{"a":1}\n{"a":', 1, /is incomplete: it ends at byte 13, in item 2/u],
  ['{"results":[{"a":1},', 1, /is incomplete: it ends at byte 20, in item 2/u],
  ['[{"a":1},{"a":x}]', 1, /is not JSON at byte 14, in item 2/u],
  ['[{"a":1},{"a" 5}]', 1, /is not JSON at byte 14, in item 2/u],
  ['[{"a":1}]]', 1, /is not JSON at byte 9, in item 2/u],
])("%j: the items before the fault, and its place", async (text, count, message) => {
  for (const size of [1, 5, 1000]) {
    const items: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const item of readImportFile(stream(Buffer.from(text), size), usual)) items.push(item);
    };
    await expect(read()).rejects.toThrow(message);
    expect(items).toHaveLength(count);
  }
});

test("a ZIP is read by the names inside, in their order, and other files are counted", async () => {
  const zip = path.join(folder(), "export.zip");
  const entries = {
    "x/conversations-001.json": '[{"n":2}]',
    "x/conversations-000.json": '[{"n":1}]',
    "x/chat.html": "<",
    "x/a.png": "p",
  };
  await writeFile(zip, zipOf(entries));
  const others: string[] = [];
  const progress: (number | null)[][] = [];
  const options = {
    onOtherFile: (name: string) => others.push(name),
    onBytes: (...bytes: (number | null)[]) => progress.push(bytes),
  };
  expect(await itemsOf(zip, options)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(others).toEqual(["chat.html", "a.png"]);
  expect(progress.at(-1)).toEqual([18, 18]);
});

test("a ZIP without the file, a damaged and a truncated ZIP are errors", async () => {
  const zip = path.join(folder(), "export.zip");
  await writeFile(zip, zipOf({ "user.json": "{}" }));
  await expect(itemsOf(zip)).rejects.toThrow("contains no conversations.json");
  const bytes = zipOf({ "conversations.json": JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n }))) });
  await writeFile(zip, bytes.subarray(0, 200));
  await expect(itemsOf(zip)).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringContaining("is damaged or incomplete"),
  });
  const central = Buffer.from(bytes);
  central.fill(0, central.lastIndexOf("PK\u0001\u0002"), central.lastIndexOf("PK\u0001\u0002") + 4);
  await writeFile(zip, central);
  await expect(itemsOf(zip)).rejects.toMatchObject({ code: "import_invalid" });
  bytes.fill(0xff, 60, 160);
  await writeFile(zip, bytes);
  await expect(itemsOf(zip)).rejects.toMatchObject({ code: "import_invalid" });
});

test("a folder is read like a ZIP", async () => {
  await writeFile(path.join(folder(), "conversations.json"), '[{"n":1}]');
  await mkdir(path.join(folder(), "images"));
  expect(await itemsOf(folder())).toEqual([{ n: 1 }]);
  await expect(itemsOf(path.join(folder(), "images"))).rejects.toThrow("has no conversations.json");
});

test("the progress of a folder of memory is in bytes", async () => {
  await writeFile(path.join(folder(), "a.md"), "é");
  await writeFile(path.join(folder(), "b.md"), "👋");
  const progress: number[] = [];
  const options = { files: /\.md$/u, onBytes: (read: number) => progress.push(read) };
  for await (const _item of readMemoryFolder(folder(), options)) continue;
  expect(progress).toEqual([2, 6]);
});

test("a missing file is a ConfigError, and a pipe is read", async () => {
  await expect(itemsOf(path.join(folder(), "none"))).rejects.toMatchObject({ code: "config_invalid" });
  const pipe = path.join(folder(), "pipe");
  if (spawnSync("sh", ["-c", 'mkfifo "$0"', pipe]).status !== 0) return;
  const [items] = await Promise.all([itemsOf(pipe), writeFile(pipe, '[{"n":1}]')]);
  expect(items).toEqual([{ n: 1 }]);
});

test("an aborted read throws the reason and closes the file", async () => {
  const file = path.join(folder(), "conversations.json");
  await writeFile(file, JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ n }))));
  const stop = new AbortController();
  const reason = new Error("stop");
  const read = async (): Promise<void> => {
    for await (const _item of readImportFile(file, { ...usual, signal: stop.signal })) stop.abort(reason);
  };
  await expect(read()).rejects.toBe(reason);
});

test("a list of any length is read as it is taken: nothing is read ahead", async () => {
  let made = 0;
  async function* long(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`[0${" ".repeat(2000)}`);
    for (; made < 10_000; made += 1) yield Buffer.from(`,${JSON.stringify({ text: "x".repeat(1000) })}`);
    yield Buffer.from("]");
  }
  let taken = 0;
  for await (const _item of readImportFile(long(), usual)) {
    expect(made - taken).toBeLessThanOrEqual(1);
    taken += 1;
  }
  expect(taken).toBe(10_001);
});

async function pathsIn(source: string, options = {}): Promise<string[]> {
  const paths: string[] = [];
  for await (const item of readMemoryFolder(source, { files: /\.md$/u, ...options })) paths.push(item.path);
  return paths;
}

/** Runs `work` without the rights of root, who may read everything. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

(process.platform === "win32" ? test.skip : test)("a file or folder that may not be read is named", async () => {
  await chmod(folder(), 0o755);
  const [closedFolder, closedFile] = [path.join(folder(), "closed"), path.join(folder(), "open", "a.md")];
  await mkdir(path.dirname(closedFile));
  await writeFile(closedFile, "x", { mode: 0 });
  await mkdir(closedFolder, { mode: 0 });
  const refused = (named: string) => ({ code: "config_invalid", message: `Cannot read ${named}: permission denied.` });
  await asNobody(async () => {
    await expect(pathsIn(path.dirname(closedFile))).rejects.toMatchObject(refused(closedFile));
    await expect(pathsIn(closedFile)).rejects.toMatchObject(refused(closedFile));
    await expect(pathsIn(folder())).rejects.toMatchObject(refused(closedFolder));
    await expect(itemsOf(closedFolder)).rejects.toMatchObject(refused(closedFolder));
  });
});

test("files that vanish while the others are read are left out", async () => {
  for (const name of ["a.md", "b.md"]) await writeFile(path.join(folder(), name), name);
  expect(await pathsIn(folder(), { onBytes: () => rmSync(path.join(folder(), "b.md"), { force: true }) })).toEqual([
    "a.md",
  ]);
  const gone = path.join(folder(), "conversations-2.json");
  for (const name of ["conversations-1.json", "conversations-2.json"])
    await writeFile(path.join(folder(), name), "[1]");
  expect(await itemsOf(folder(), { onOtherFile: () => rmSync(gone, { force: true }) })).toEqual([1]);
  rmSync(path.join(folder(), "conversations-1.json"));
  await expect(itemsOf(folder())).rejects.toThrow("has no conversations.json");
});

test("a link is followed if its path is the one that was given", async () => {
  const [inside, outside] = [path.join(folder(), "inside"), path.join(folder(), "outside.md")];
  await mkdir(inside);
  await writeFile(path.join(inside, "a.md"), "a");
  await writeFile(outside, "outside");
  await symlink(outside, path.join(inside, "b.md"));
  await symlink(inside, path.join(folder(), "link"));
  expect(await pathsIn(path.join(folder(), "link"))).toEqual(["a.md"]);
  expect(await pathsIn(path.join(inside, "b.md"))).toEqual(["b.md"]);
});
