// How a checkout writes a file, so that a process that is killed meanwhile leaves nothing that a later one cannot repair.
import { linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { hashOf } from "../../../src/surfaces/cli/checkout/file-texts.ts";
import { changeFile } from "../../../src/surfaces/cli/checkout/folder.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const folder = useFolderOfTest();
const file = (name: string) => path.join(folder(), name);
const read = (name: string) => readFileSync(file(name), "utf8");

test.each([
  ["a cut draft", () => writeFileSync(file(".human.md.new"), "ne")],
  ["a second name of another file", () => linkSync(file("other.md"), file(".human.md.new"))],
  ["a link", () => symlinkSync(file("other.md"), file(".human.md.new"))],
])("%s under the name of the draft neither hinders a write nor is written through", async (_, leave) => {
  writeFileSync(file("human.md"), "old");
  writeFileSync(file("other.md"), "other");
  leave();
  expect(await changeFile(folder(), "human.md", { expected: hashOf("old"), content: "new" })).toBe(true);
  expect(readdirSync(folder())).toEqual(["human.md", "other.md"]);
  expect([read("human.md"), read("other.md")]).toEqual(["new", "other"]);
});

test("a new file has its whole content as soon as it has its name", async () => {
  const content = "x".repeat(4_000_000);
  const writing = changeFile(folder(), "new/large.txt", { expected: null, content });
  const sizes = new Set<number>();
  let isWriting = true;
  void writing.finally(() => (isWriting = false));
  while (isWriting) {
    const found = statSync(file("new/large.txt"), { throwIfNoEntry: false });
    if (found !== undefined) sizes.add(found.size);
    await setImmediate();
  }
  expect(await writing).toBe(true);
  expect([...sizes].filter((size) => size !== content.length)).toEqual([]);
  expect(readdirSync(file("new"))).toEqual(["large.txt"]);
});

test("a new file does not replace another one", async () => {
  writeFileSync(file("human.md"), "mine");
  expect(await changeFile(folder(), "human.md", { expected: null, content: "new" })).toBe(false);
  expect([readdirSync(folder()), read("human.md")]).toEqual([["human.md"], "mine"]);
});
