// The history of inputs in the data folder: kept, bounded, for its owner alone, and whole with two terminals at once.
import { appendFile, chmod, readdir, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { openInputHistory, removeInputHistory } from "../../../src/surfaces/cli/chat/input-history-file.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const folder = useFolderOfTest();

const fileOf = async (): Promise<string> => {
  const names = await readdir(path.join(folder(), "inputs"));
  return path.join(folder(), "inputs", names.find((name) => name.endsWith(".jsonl")) ?? "none");
};
const inputsNow = async (user = "ada"): Promise<readonly string[]> => (await openInputHistory(folder(), user)).inputs;

test("saved inputs are available at the next start, whatever they contain", async () => {
  const texts = ["one", "two\nlines", "漢字 👍", "\ud800 alone", "</human> %_ \u0000", " "];
  const history = await openInputHistory(folder(), "ada");
  for (const text of texts) expect(await history.keep(text)).toBeNull();
  expect(await inputsNow()).toEqual(texts);
});

test("inputs at once are saved in their order, all of them before the end", async () => {
  const history = await openInputHistory(folder(), "ada");
  const texts = Array.from({ length: 30 }, (_, number) => `input ${number}`);
  for (const text of texts) void history.keep(text);
  await history.kept();
  expect(await inputsNow()).toEqual(texts);
});

test("the same input twice in a row is returned once", async () => {
  const history = await openInputHistory(folder(), "ada");
  for (const text of ["a", "a", "b", "a"]) await history.keep(text);
  expect(await inputsNow()).toEqual(["a", "b", "a"]);
});

test("users are isolated", async () => {
  await (await openInputHistory(folder(), "ada")).keep("hers");
  expect(await inputsNow("eve")).toEqual([]);
  expect(await inputsNow("../ada")).toEqual([]);
});

test("only the owner can read it, even if the file existed with wider rights", async () => {
  const history = await openInputHistory(folder(), "ada");
  await history.keep("one");
  expect((await stat(path.join(folder(), "inputs"))).mode & 0o777).toBe(0o700);
  expect((await stat(await fileOf())).mode & 0o777).toBe(0o600);
  await chmod(await fileOf(), 0o644);
  await history.keep("two");
  expect((await stat(await fileOf())).mode & 0o777).toBe(0o600);
});

test("two concurrent terminals lose nothing", async () => {
  const both = await Promise.all([openInputHistory(folder(), "ada"), openInputHistory(folder(), "ada")]);
  const texts = both.flatMap((_, terminal) => Array.from({ length: 100 }, (__, index) => `${terminal}-${index}`));
  await Promise.all(texts.map((text) => both[text.startsWith("0") ? 0 : 1]?.keep(text)));
  expect(new Set(await inputsNow())).toEqual(new Set(texts));
});

test("it is bounded: 1,000 inputs are returned, and the files have little more than twice 512 KB", async () => {
  const long = "x".repeat(10_000);
  const history = await openInputHistory(folder(), "ada");
  for (let index = 0; index < 160; index += 1) await history.keep(`${index} ${long}`);
  const sizes = await Promise.all(
    (await readdir(path.join(folder(), "inputs"))).map(
      async (name) => (await stat(path.join(folder(), "inputs", name))).size,
    ),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_100_000);
  expect((await inputsNow()).at(-1)).toBe(`159 ${long}`);
  expect((await inputsNow()).length).toBeGreaterThan(50);
  await writeFile(await fileOf(), Array.from({ length: 1_500 }, (_, index) => `"${index}"\n`).join(""));
  const told = await inputsNow();
  expect([told.length, told.at(-1)]).toEqual([1_000, "1499"]);
});

test("an input of more than 64 KB is not saved, and no other is lost", async () => {
  const history = await openInputHistory(folder(), "ada");
  expect(await history.keep("a".repeat(1e6))).toBeNull();
  await history.keep("short");
  expect(await inputsNow()).toEqual(["short"]);
});

test("incomplete and foreign lines are ignored", async () => {
  const history = await openInputHistory(folder(), "ada");
  await history.keep("one");
  await appendFile(await fileOf(), '{"a":1}\n12\n"torn');
  expect(await inputsNow()).toEqual(["one"]);
});

test("a lock of a killed process does not prevent the rotation of the file", async () => {
  const history = await openInputHistory(folder(), "ada");
  await history.keep("one");
  const lock = `${await fileOf()}.lock`;
  await writeFile(lock, "");
  await utimes(lock, new Date(0), new Date(0));
  await appendFile(await fileOf(), `"${"x".repeat(600_000)}"\n`);
  await history.keep("two");
  expect(await readdir(path.join(folder(), "inputs"))).toEqual([expect.stringMatching(/\.jsonl\.old$/u)]);
});

test("a write failure is reported and not thrown", async () => {
  await writeFile(path.join(folder(), "inputs"), "a file in the folder's place");
  const history = await openInputHistory(folder(), "ada");
  expect(history.inputs).toEqual([]);
  expect(await history.keep("one")).toMatch(/EEXIST|ENOTDIR/u);
});

test("removing deletes it", async () => {
  await (await openInputHistory(folder(), "ada")).keep("one");
  await removeInputHistory(folder(), "ada");
  expect(await inputsNow()).toEqual([]);
});
