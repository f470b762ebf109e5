// Suggestions of files: which entries a walk finds, and where it ends.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { listFolder, listPaths } from "../../../src/surfaces/cli/chat/list-paths.ts";

let folder = "";
const write = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), "");
  }
};
const standing = (): number => 0;

beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), "palimpsest-paths-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a folder is listed without its subfolders, folders first", async () => {
  await write("b.md", "a.md", "z/c.md", ".env");
  expect(await listFolder(folder)).toEqual([
    { name: "z", isFolder: true },
    { name: ".env", isFolder: false },
    { name: "a.md", isFolder: false },
    { name: "b.md", isFolder: false },
  ]);
  expect(await listFolder(path.join(folder, "nowhere"))).toEqual([]);
});

test("a walk finds what is below the subfolders, without hidden files, .git, node_modules and links", async () => {
  await write("top.md", "src/a.ts", "src/tui/b.ts", ".git/config", "node_modules/x/index.js", "src/node_modules/y.js");
  await write("src/.hidden", "one/two/three.md");
  await symlink(folder, path.join(folder, "src", "loop"));
  const found = await listPaths(folder, standing);
  expect(found.map(({ name }) => name).sort()).toEqual([
    "one/two",
    "one/two/three.md",
    "src/a.ts",
    "src/loop",
    "src/tui",
    "src/tui/b.ts",
  ]);
  expect(await listPaths(path.join(folder, "top.md"), standing)).toEqual([]);
});

test("a walk ends at its limits of depth, entries and time, with the nearest entries", async () => {
  await write(`${"d/".repeat(20)}deep.md`, "near/file.md");
  const names = (await listPaths(folder, standing)).map(({ name }) => name);
  expect(names).toContain("near/file.md");
  expect(names.some((name) => name.endsWith("deep.md"))).toBe(false);
  for (let part = 0; part < 3; part += 1) {
    const many = Array.from({ length: 2_100 }, (_, index) => `p${part}/${index}`);
    await mkdir(path.join(folder, `p${part}`));
    await Promise.all(many.map((name) => writeFile(path.join(folder, name), "")));
  }
  expect(await listPaths(folder, standing)).toHaveLength(5_000);
  let milliseconds = 0;
  expect((await listPaths(folder, () => (milliseconds += 100))).length).toBeLessThan(10);
});
