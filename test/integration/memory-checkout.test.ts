// Memory checked out into a folder: what both sides keep, what is a conflict, and what is refused.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { processWord } from "../../src/base/lock-holder.ts";
import { checkOut, commit, status } from "../../src/surfaces/cli/checkout/checkout.ts";
import { diskNames } from "../../src/surfaces/cli/checkout/disk-names.ts";
import { runInWorld } from "../support/fake-world.ts";
import { useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
const folders: string[] = [];
let names = 0;

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-checkout-"));
  folders.push(folder);
  return folder;
}

async function scene(human = "Name: Ada") {
  names += 1;
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })] });
  const { id, name } = await runtime.agents.create({ name: `checkout-${names}`, human, persona: "Sailor." });
  const { memoryFiles } = runtime;
  const folder = newFolder();
  const file = (...parts: readonly string[]) => path.join(folder, ...parts);
  const read = (file_: string) => readFileSync(file(file_), "utf8");
  const write = (file_: string, text: string) => writeFileSync(file(file_), text);
  const put = async (file_: string, text: string) => {
    const known = (await memoryFiles.list(id)).find((one) => one.path === file_);
    await memoryFiles.write(id, file_, { text, version: known?.version ?? null });
  };
  const textOf = async (file_: string) => (await memoryFiles.list(id)).find((one) => one.path === file_)?.text;
  const out = (place = folder) => checkOut(memoryFiles, place, { id, name });
  const send = (deletes = false) => commit(memoryFiles, folder, { deletes });
  const differences = async () => (await status(memoryFiles, folder)).map((one) => [one.name, one.kind]);
  return { runtime, id, name, memoryFiles, folder, file, read, write, put, textOf, out, send, differences };
}

const head = (name: string, description = "") =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n`;
const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();
const nothing = { committed: [], updated: [], conflicts: [], removed: [], refused: [] };

const oddTexts: Readonly<Record<string, string>> = {
  "a/b c/é\u{1F6A2}.txt": "\uFEFFstarts with a mark",
  "con.txt": "a reserved name",
  'what?*:<>|"%41.md': "odd\u0001 characters\r\nand\rends",
  ".hidden/file": "hidden",
  "MEMORY.md": "not the index",
  "CASE.txt": "upper",
  "dots...": "ends in dots",
  [`long/${"\u{1F6A2}".repeat(180)}.txt`]: "long",
  "empty.txt": "",
  "breaks.txt": "\n\n---\nname: x\n---\n\n",
  "x.conflict": "named like a conflict",
  "git~1/hooks/x": "the short name of .git on Windows",
  "\u200C.git/x": "a name of .git on macOS",
};

test("a checkout and a commit without an edit change no byte, whatever the titles and texts", async () => {
  const { runtime, id, memoryFiles, folder, out, send, put, differences } = await scene("\n---\n\r\n  Ada\u2028\n\n");
  for (const [file, text] of Object.entries(oddTexts)) await put(file, text);
  await runtime.archival.add(id, "A passage.\r\n\r\n", { tags: ["a, b", "c"] });
  const before = await memoryFiles.list(id);
  await out();
  const bytes = snapshot(folder);
  expect(await send()).toEqual(nothing);
  expect(await memoryFiles.list(id)).toEqual(before);
  expect(snapshot(folder)).toEqual(bytes);
  expect(await differences()).toEqual([]);
  // Another checkout has the same bytes, and the history ends with them.
  const other = newFolder();
  await out(other);
  expect(snapshot(other)).toEqual(bytes);
  expect(git(other, "status", "--porcelain")).toBe("");
  // The texts come back from the bytes.
  for (const [name, content] of Object.entries(bytes)) {
    if (name !== "MEMORY.md" && !name.startsWith("archive")) writeFileSync(path.join(folder, name), `${content}+`);
  }
  const { committed, refused } = await send();
  expect([committed.length, refused]).toEqual([Object.keys(oddTexts).length + 2, []]);
  const edited = new Map((await memoryFiles.list(id)).map((one) => [one.path, one.text]));
  for (const [file, text] of Object.entries(oddTexts)) expect([file, edited.get(file)]).toEqual([file, `${text}+`]);
  expect(edited.get("human.md")).toBe("\n---\n\r\n  Ada\u2028\n\n\n+");
});

/** The content of each file in a folder but git's and the state. */
function snapshot(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (entry.name === ".git" || entry.name === ".palimpsest") continue;
    if (entry.isDirectory()) Object.assign(found, snapshot(folder, name));
    else found[name] = readFileSync(path.join(folder, name), "utf8");
  }
  return found;
}

test("names that differ in case or form only, or that a folder has, are different files on every disk", () => {
  const paths = [
    "a.txt",
    "A.txt",
    "é",
    "e\u0301",
    "d",
    "d/e",
    "nul.txt",
    "x.",
    "MEMORY.md",
    ".git/a",
    "GIT~1/b",
    "\u200C.git/c",
  ];
  const given = [...diskNames(paths, new Map()).values()];
  expect(new Set(given.map((name) => name.normalize("NFC").toLowerCase())).size).toBe(paths.length);
  expect(given.filter((name) => /(?:^|\/)\p{Cf}*\.|^nul|\.$|^MEMORY|^git~/iu.test(name))).toEqual([]);
  expect(given.slice(0, 3)).toEqual(["a.txt", expect.stringMatching(/^other\/[0-9a-f]{16}\.txt$/u), "é"]);
});

test("edits go both ways, with a revision, a commit in git, and the trust of a person", async () => {
  const { runtime, id, read, write, put, textOf, folder, out, send } = await scene();
  await runtime.archival.add(id, "The boat is blue.", { tags: ["boat"] });
  await out();
  expect(read("human.md")).toBe(`${head("human")}Name: Ada\n`);
  expect(read("MEMORY.md")).toBe(
    "# Memory\n\n- [human.md](<human.md>)\n- [persona.md](<persona.md>)\n- archive/: 1 passage\n",
  );
  write("human.md", `${head("human")}Name: Ada\nLikes tea\n`);
  write("plan.txt", "Sail.\n");
  const [passage = ""] = readdirSync(path.join(folder, "archive"));
  write(`archive/${passage}`, "The boat is red.");
  await put("persona.md", "A sailor.");
  const report = await send();
  expect(report).toMatchObject({ conflicts: [], refused: [], removed: [] });
  expect(report.committed).toEqual([`archive/${passage}`, "human.md", "plan.txt"]);
  expect(read("persona.md")).toBe(`${head("persona")}A sailor.\n`);
  expect(await textOf("plan.txt")).toBe("Sail.\n");
  const [revision] = await runtime.memory.revisions(id, { label: "human" });
  expect(revision).toMatchObject({ after: "Name: Ada\nLikes tea", origin: "user", trust: "user" });
  const [now] = (await runtime.memoryFiles.list(id)).filter(({ kind }) => kind === "passage");
  expect(now).toMatchObject({ text: "The boat is red.", tags: ["boat"] });
  expect(readdirSync(path.join(folder, "archive"))).toEqual([path.basename(now!.path)]);
  expect(git(folder, "status", "--porcelain")).toBe("");
  expect(git(folder, "log", "--format=%an: %s", "memory", "--", "human.md")).toBe(
    "user: human.md at revision 1\nuser: human.md at revision 0",
  );
  await runtime.memory.undo(id, "human");
  await out();
  expect(read("human.md")).toBe(`${head("human")}Name: Ada\n`);
  expect(git(folder, "log", "-1", "--format=%s", "--", "human.md")).toBe("human.md at revision 2, undoes revision 1");
});

test("a later checkout reads and records only what has changed, and ends with memory whatever the times say", async () => {
  const { runtime, id, name, folder, file, memoryFiles, put, out, send, write } = await scene();
  const read: string[] = [];
  const counted = {
    ...memoryFiles,
    history: async (...args: Parameters<typeof memoryFiles.history>) => {
      const changes = await memoryFiles.history(...args);
      read.push(...changes.map(({ path: of }) => of));
      return changes;
    },
  };
  const log = (...range: readonly string[]) => git(folder, "log", "--format=%an: %s", "memory", ...range).split("\n");
  await put("notes.txt", "one");
  await runtime.archival.import(id, [{ text: "Long ago.", at: new Date("2020-01-01") }]);
  await out();
  await put("notes.txt", "two");
  await put("notes.txt", "three");
  const before = git(folder, "rev-parse", "memory");
  await out();
  // Two revisions of one passage by one writer on one day are one commit.
  expect(log(`${before}..memory`)).toEqual(["user: 2 changes of the archive"]);
  const { recorded, ...state } = JSON.parse(readFileSync(file(".palimpsest", "state.json"), "utf8"));
  // As if it was checked out a minute ago.
  const until = new Date(Date.parse(recorded.until) + 60_000).toISOString();
  write(".palimpsest/state.json", JSON.stringify({ ...state, recorded: { ...recorded, until, ids: [] } }));
  await runtime.archival.import(id, [{ text: "Older still.", at: new Date("2019-01-01") }]);
  const [, forgotten] = await runtime.archival.list(id, { order: "oldest" });
  await runtime.archival.delete(id, forgotten!.id);
  await checkOut(counted, folder, { id, name });
  expect(read).toEqual([]);
  expect(log("-1")).toEqual(["import: 2 changes of the archive"]);
  expect(git(folder, "status", "--porcelain")).toBe("");
  const tip = git(folder, "rev-parse", "memory");
  expect(await send()).toEqual(nothing);
  expect(git(folder, "rev-parse", "memory")).toBe(tip);
});

test("a file that both sides changed is a conflict, and neither text is overwritten", async () => {
  const { read, write, put, textOf, out, send, differences, file } = await scene();
  await put("notes.txt", "base");
  await out();
  write("notes.txt", "mine");
  await put("notes.txt", "theirs");
  expect(await differences()).toEqual([["notes.txt", "conflict"]]);
  expect(await send()).toEqual({ ...nothing, conflicts: ["notes.txt"] });
  expect([read("notes.txt"), read("notes.txt.conflict"), await textOf("notes.txt")]).toEqual([
    "mine",
    "theirs",
    "theirs",
  ]);
  // It stays a conflict until the file beside it is removed; memory may go on meanwhile.
  expect(await send()).toEqual({ ...nothing, conflicts: ["notes.txt"] });
  rmSync(file("notes.txt.conflict"));
  write("notes.txt", "both");
  await put("notes.txt", "later");
  expect(await send()).toMatchObject({ conflicts: ["notes.txt"] });
  expect(read("notes.txt.conflict")).toBe("later");
  rmSync(file("notes.txt.conflict"));
  expect(await send()).toMatchObject({ committed: ["notes.txt"], conflicts: [] });
  expect(await textOf("notes.txt")).toBe("both");
});

test("after a conflict, the former text is an edit that overwrites memory's, and memory's text is none", async () => {
  const { write, put, textOf, out, send, differences, file } = await scene();
  const both = ["former.txt", "theirs.txt"];
  for (const name of both) await put(name, "base");
  await out();
  for (const name of both) write(name, "mine");
  for (const name of both) await put(name, "theirs");
  expect(await send()).toEqual({ ...nothing, conflicts: both });
  for (const name of both) rmSync(file(`${name}.conflict`));
  write("former.txt", "base");
  write("theirs.txt", "theirs");
  expect(await differences()).toEqual([["former.txt", "edited"]]);
  expect(await send()).toEqual({ ...nothing, committed: ["former.txt"] });
  expect([await textOf("former.txt"), await textOf("theirs.txt")]).toEqual(["base", "theirs"]);
});

test("a file from before a forgetting is updated if it was not edited, and is a conflict otherwise", async () => {
  const { runtime, folder, read, write, put, textOf, out, send } = await scene();
  for (const name of ["edited.txt", "kept.txt"]) await put(name, "Sail.\nThe code of the harbour is 4711.");
  await out();
  await runtime.forget.apply({ texts: ["The code of the harbour is 4711."] });
  write("edited.txt", `${read("edited.txt")}\nIn May.`);
  expect(await send()).toEqual({ ...nothing, updated: ["kept.txt"], conflicts: ["edited.txt"] });
  const redacted = "Sail.\n[forgotten]";
  expect([read("kept.txt"), read("edited.txt.conflict"), await textOf("edited.txt")]).toEqual(Array(3).fill(redacted));
  expect(git(folder, "show", "memory:kept.txt")).toBe(redacted);
});

test("a file that memory lost or got meanwhile is a conflict, the same text on both sides is none", async () => {
  const { runtime, id, write, put, out, send, read, differences } = await scene();
  await put("gone.txt", "base");
  await out();
  write("gone.txt", "mine");
  write("new.txt", "mine");
  write("equal.txt", "equal");
  await put("new.txt", "theirs");
  await put("equal.txt", "equal");
  await runtime.memoryFiles.command(id, { command: "delete", path: "/memories/gone.txt" });
  const { conflicts, committed } = await send();
  expect([conflicts, committed]).toEqual([["gone.txt", "new.txt"], []]);
  expect([read("gone.txt"), read("new.txt"), read("new.txt.conflict")]).toEqual(["mine", "mine", "theirs"]);
  expect((await differences()).map(([name]) => name)).toEqual(["gone.txt", "new.txt"]);
});

test("a removed file stays in memory unless --deletes is given, and a module always does", async () => {
  const { runtime, id, put, out, send, file, textOf } = await scene();
  await put("notes.txt", "keep");
  await out();
  for (const name of ["notes.txt", "human.md"]) rmSync(file(name));
  expect(await send()).toEqual({ ...nothing, removed: ["human.md", "notes.txt"] });
  expect(await textOf("notes.txt")).toBe("keep");
  expect(await send(true)).toMatchObject({ committed: ["notes.txt"], refused: [{ name: "human.md" }] });
  expect(await textOf("notes.txt")).toBeUndefined();
  expect((await runtime.archival.search(id, "keep")).hits[0]!.text).toBe("Deleted file notes.txt\nkeep");
  await put("human.md", "Name: Bo");
  expect((await out()).updated).toEqual(["human.md"]);
});

test.each([
  ["binary", Buffer.from([0xff, 0xfe, 0x00]), /not UTF-8/u],
  ["a NUL", Buffer.from("a\u0000b"), /not UTF-8/u],
  ["nothing", Buffer.from(""), /it is empty/u],
  ["too much", Buffer.alloc(4_200_000, "x"), /larger than/u],
  ["more than a passage has", Buffer.alloc(1_500_000, "x"), /1,000,000 characters/u],
])("%s in a file is refused, and the others are written", async (_, bytes, problem) => {
  const { file, put, out, send, textOf } = await scene();
  await put("notes.txt", "base");
  await put("other.txt", "base");
  await out();
  writeFileSync(file("notes.txt"), bytes);
  writeFileSync(file("other.txt"), "edited");
  const report = await send();
  expect(report).toMatchObject({ committed: ["other.txt"], conflicts: [] });
  expect(report.refused).toEqual([{ name: "notes.txt", problem: expect.stringMatching(problem) as string }]);
  expect([await textOf("notes.txt"), await textOf("other.txt")]).toEqual(["base", "edited"]);
});

test("a module's header, its limit, and line ends of Windows", async () => {
  const { write, out, send, textOf, put } = await scene("one\ntwo");
  await put("mixed.txt", "a\r\nb\n");
  await out();
  write("human.md", `${head("human")}one\ntwo\n`.replaceAll("\n", "\r\n"));
  write("mixed.txt", "a\r\nb\r\n");
  write("persona.md", "no header\n");
  const report = await send();
  expect(report.committed).toEqual(["mixed.txt"]);
  expect(report.refused).toEqual([
    { name: "persona.md", problem: expect.stringMatching(/first four lines/u) as string },
  ]);
  expect([await textOf("human.md"), await textOf("mixed.txt")]).toEqual(["one\ntwo", "a\r\nb\r\n"]);
  write("persona.md", `${head("persona")}${"x".repeat(9000)}\n`);
  expect((await send()).refused).toEqual([{ name: "persona.md", problem: expect.stringMatching(/limit/u) as string }]);
});

test("symbolic links are neither read nor followed", async () => {
  const { file, folder, put, out, send } = await scene();
  const outside = newFolder();
  writeFileSync(path.join(outside, "secret.txt"), "secret");
  await out();
  symlinkSync(path.join(outside, "secret.txt"), file("link.txt"));
  symlinkSync(outside, file("linked"));
  expect((await send()).refused.map(({ name }) => name)).toEqual(["link.txt", "linked"]);
  await put("linked/inner.txt", "from memory");
  // The file gets another name.
  expect((await send()).updated).toEqual([expect.stringMatching(/^other\/[0-9a-f]{16}\.txt$/u)]);
  expect(readdirSync(outside)).toEqual(["secret.txt"]);
  expect(existsSync(path.join(folder, "linked", "inner.txt"))).toBe(false);
});

test("a folder in use, another agent's, or not a checkout is refused; a killed process's lock is not", async () => {
  const { runtime, memoryFiles, folder, file, out, send, write } = await scene();
  await expect(commit(memoryFiles, folder, { deletes: false })).rejects.toThrow(/not a checkout/u);
  writeFileSync(file("mine.txt"), "mine");
  await expect(out()).rejects.toThrow(/not empty/u);
  rmSync(file("mine.txt"));
  await out();
  const other = await runtime.agents.create({ name: `other-${names}` });
  await expect(checkOut(memoryFiles, folder, other)).rejects.toThrow(/checkout of the agent/u);
  const alive = file(".palimpsest/lock", `${processWord(process.pid)}-alive`);
  mkdirSync(alive, { recursive: true });
  await expect(send()).rejects.toThrow(new RegExp(`process \\(${process.pid}\\) works in .+ folder .+/lock\\.$`, "u"));
  // A process that has ended, whose pid this process has now.
  renameSync(alive, file(".palimpsest/lock", `${process.pid}-boot-1-killed`));
  expect(await send()).toEqual(nothing);
  mkdirSync(file(".palimpsest/lock/999999999-killed"), { recursive: true });
  write("new.txt", "x");
  const ends = await Promise.allSettled([send(), send(), send()]);
  expect(ends.filter(({ status: end }) => end === "fulfilled").length).toBeGreaterThanOrEqual(1);
  expect((await memoryFiles.list(`checkout-${names}`)).filter(({ path: file_ }) => file_ === "new.txt").length).toBe(1);
  write(".palimpsest/state.json", "{");
  await expect(send()).rejects.toThrow(/damaged/u);
});

const mayMount = process.platform === "linux" && process.getuid?.() === 0;

// Its title tells where it is not run.
(mayMount ? test : test.skip)(
  "on a disk that the test mounts (as root, on Linux): a full disk fails with the name of a file, and the next commit continues",
  async () => {
    const { id, name, memoryFiles, put, textOf } = await scene();
    const disk = newFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=777", "tmpfs", disk]);
    try {
      const folder = path.join(disk, "notes");
      const send = () => commit(memoryFiles, folder, { deletes: false });
      await put("notes.txt", "base");
      await checkOut(memoryFiles, folder, { id, name });
      writeFileSync(path.join(folder, "mine.txt"), "mine");
      const large = "x".repeat(900_000);
      for (const file of ["one.txt", "two.txt", "three.txt"]) await put(file, large);
      await put("notes.txt", "newer");
      await expect(send()).rejects.toThrow(/cannot be used|failed in|ENOSPC|no space/iu);
      expect(await textOf("mine.txt")).toBe("mine");
      for (const file of ["one.txt", "two.txt", "three.txt"]) {
        const known = (await memoryFiles.list(id)).find((one) => one.path === file)!;
        await memoryFiles.write(id, file, { text: "short", version: known.version });
      }
      expect(await send()).toMatchObject({ conflicts: [], refused: [] });
      expect(readFileSync(path.join(folder, "notes.txt"), "utf8")).toBe("newer");
      expect(await send()).toEqual(nothing);
    } finally {
      execFileSync("umount", [disk]);
    }
  },
);

test("the commands print what differs, what was written and the history", async () => {
  const { runtime, name, folder, write, file } = await scene();
  const run = (...argv: string[]) => runInWorld(argv, { runtime: { ...runtime, close: async () => undefined } });
  expect(await run("memory", "checkout", folder, "-a", name)).toMatchObject({
    exitCode: 0,
    stdout: `2 files of ${name} written.\n`,
  });
  write("human.md", `${head("human")}Name: Bo\n`);
  rmSync(file("persona.md"));
  expect((await run("memory", "status", folder)).stdout).toBe("edited      human.md\nremoved     persona.md\n");
  expect((await run("memory", "diff", folder)).stdout).toBe(
    "human.md (edited)\n  - Name: Ada\n  + Name: Bo\npersona.md (removed)\n  - Sailor.\n",
  );
  expect(await run("memory", "commit", folder)).toMatchObject({
    exitCode: 0,
    stdout:
      "written    human.md\nkept       persona.md: it is not in the folder; --deletes removes it from memory, too\n",
  });
  expect((await run("memory", "commit", folder, "--deletes")).exitCode).toBe(1);
  expect((await run("memory", "log", folder, "--limit", "1")).stdout).toMatch(
    /^[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}user {2}human\.md at revision 1\n$/u,
  );
  const log = JSON.parse((await run("memory", "log", folder, "--json")).stdout) as unknown[];
  expect(log).toHaveLength(3);
  expect((await run("memory", "status", newFolder())).stderr).toMatch(/is not a checkout of memory/u);
  await runtime.memory.set(name, "human", "Name: Cy");
  write("human.md", `${head("human")}Name: Di\n`);
  expect((await run("memory", "commit", folder)).stdout).toContain(
    "human.md: merge human.md.conflict, remove it, and commit again\n",
  );
  renameSync(file(".git"), file(".git-away"));
  expect((await run("memory", "log", folder)).exitCode).not.toBe(0);
});
