// The found files, their order, and the reasons for skipping others.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SourceFileError } from "../../../../src/base/errors.ts";
import { type FileSystem, nodeFileSystem } from "../../../../src/memory/sources/file-system.ts";
import { findFiles } from "../../../../src/memory/sources/find-files.ts";

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "palimpsest-find-")));
  const files = [
    "docs/b.md",
    "docs/a.md",
    "docs/a/z.txt",
    "docs/a/é 🙂.txt",
    "docs/.secret",
    "docs/.git/config",
    "docs/node_modules/x/index.js",
    "docs/logo.PNG",
    "docs/Makefile",
    "docs/big.txt",
    "docs/[x].md",
    "other/b.md",
  ];
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "x".repeat(file.endsWith("big.txt") ? 2_000_001 : 1));
  }
  symlinkSync(path.join(folder, "docs"), path.join(folder, "docs/a/loop"));
  symlinkSync(path.join(folder, "docs/b.md"), path.join(folder, "docs/link.md"));
  symlinkSync("circle", path.join(folder, "circle"));
  symlinkSync(path.join(folder, "other"), path.join(folder, "there"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const find = (inputs: readonly string[], fileSystem: FileSystem = nodeFileSystem) =>
  findFiles(inputs, { fileSystem, folder, maxBytes: 2_000_000 });
const names = async (...inputs: string[]) => (await find(inputs)).files.map((file) => file.name);

it("a folder's files are in order, deep ones last, with their kinds", async () => {
  const { files, failed } = await find(["docs"]);
  expect(failed).toEqual([]);
  expect(files.map(({ name, kind, bytes, isNamed }) => [name, kind, bytes, isNamed])).toEqual([
    ["docs/Makefile", "other", 1, false],
    ["docs/[x].md", "markdown", 1, false],
    ["docs/a.md", "markdown", 1, false],
    ["docs/b.md", "markdown", 1, false],
    ["docs/a/z.txt", "text", 1, false],
    ["docs/a/é 🙂.txt", "text", 1, false],
  ]);
  expect(files[0]!.path).toBe(`${folder}/docs/Makefile`);
});

it("a skipped file has a reason", async () => {
  expect((await find(["docs"])).skipped).toEqual([
    { name: "docs/.git", reason: "it is hidden" },
    { name: "docs/.secret", reason: "it is hidden" },
    { name: "docs/big.txt", reason: "it is too large: 2 MB, the maximum is 2 MB" },
    { name: "docs/link.md", reason: "it is a link" },
    { name: "docs/logo.PNG", reason: "files of this kind are not supported" },
    { name: "docs/node_modules", reason: "it contains installed packages" },
    { name: "docs/a/loop", reason: "it is a link" },
  ]);
});

it.each([
  ["a file", ["docs/a.md"], ["a.md"]],
  ["a file twice, and once in its folder", ["docs/b.md", "./docs/b.md", "other", "other/b.md"], ["b.md", "other/b.md"]],
  ["a link that is named", ["there"], ["other/b.md"]],
  ["a hidden folder that is named", ["docs/.git"], [".git/config"]],
  ["a pattern", ["docs/*.md"], ["docs/[x].md", "docs/a.md", "docs/b.md"]],
  ["a pattern through folders", ["docs/**/{b.md,z.txt}"], ["docs/b.md", "docs/a/z.txt"]],
  ["a name that looks like a pattern", ["docs/[x].md"], ["[x].md"]],
])("%s", async (_, inputs, expected) => {
  expect(await names(...inputs)).toEqual(expected);
});

it("an absolute path is found from anywhere", async () => {
  expect(await names(path.join(folder, "docs/a.md"))).toEqual(["a.md"]);
});

it.each([
  ["docs/none.md", "there is no such file"],
  ["docs/a.md/x", "there is no such file"],
  ["*.zip", "no file matches this pattern"],
  ["none/*.md", "there is no such file"],
  ["docs/logo.PNG", "files of this kind are not supported"],
  ["docs/big.txt", "it is too large: 2 MB, the maximum is 2 MB"],
  ["circle", "its links form a cycle"],
  ["a\u0000b", "its path contains a NUL character"],
  ["x".repeat(5000), "its path is too long"],
  ["/dev/null", "it is not a regular file"],
])("%j cannot be loaded, and the others are loaded", async (input, reason) => {
  const { files, failed } = await find([input, "docs/a.md"]);
  expect(failed).toEqual([{ name: input, reason }]);
  expect(files.map((file) => file.name)).toEqual(["a.md"]);
});

it("a pattern fails only if it matches no file, whether or not another input named its files", async () => {
  const { files, skipped, failed } = await find(["docs", "docs/*.md", "docs/*.PNG", "docs/*.zip"]);
  expect(files.map(({ name }) => name)).toEqual(await names("docs"));
  expect(skipped.filter(({ name }) => name === "docs/logo.PNG")).toHaveLength(2);
  expect(failed).toEqual(
    ["docs/*.PNG", "docs/*.zip"].map((name) => ({ name, reason: "no file matches this pattern" })),
  );
});

it("the size of text that a program passes is in bytes", async () => {
  const { files, failed } = await findFiles(
    [
      { name: "a.txt", data: "é".repeat(5) },
      { name: "b.txt", data: "é".repeat(6) },
    ],
    { fileSystem: nodeFileSystem, folder, maxBytes: 10 },
  );
  expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([["a.txt", 10]]);
  expect(failed.map(({ name }) => name)).toEqual(["b.txt"]);
});

it("a file whose path is too long fails alone", async () => {
  const deep = path.join(folder, "deep", ...Array.from({ length: 9 }, () => "x".repeat(230)));
  mkdirSync(deep, { recursive: true });
  writeFileSync(path.join(folder, "deep/a.txt"), "a");
  writeFileSync(path.join(deep, "b.txt"), "b");
  const { files, failed } = await find(["deep"]);
  expect(failed.map(({ reason }) => reason)).toEqual(["its path is too long"]);
  expect(files.map(({ name }) => name)).toEqual(["deep/a.txt"]);
});

it("an unreadable folder fails alone", async () => {
  const refusing: FileSystem = {
    ...nodeFileSystem,
    entries: (at) =>
      at.endsWith("/a") ? Promise.reject(new SourceFileError("permission denied")) : nodeFileSystem.entries(at),
  };
  const { files, failed } = await find(["docs"], refusing);
  expect(failed).toEqual([{ name: "docs/a", reason: "permission denied" }]);
  expect(files).toHaveLength(4);
});

it("knows which files belong to the named folders", async () => {
  const { covers } = await find(["docs/a", "docs/*.md", "other/b.md"]);
  const covered = ["docs/a/gone.txt", "docs/gone.md", "docs/gone.txt", "docs/b/gone.md", "other/b.md", "other/c.md"];
  expect(covered.map((file) => covers(path.join(folder, file)))).toEqual([true, true, false, false, true, false]);
});

it("ends on an abort", async () => {
  const options = { fileSystem: nodeFileSystem, folder, maxBytes: 1, signal: AbortSignal.abort("stop") };
  await expect(findFiles(["docs"], options)).rejects.toBe("stop");
});
