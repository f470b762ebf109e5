// Two writers, one in the folder of a checkout and one in memory, with commits that are killed: nothing that either wrote is lost.
// Each edit adds a line of its own, so every line must be in memory at the end. CHECKOUT_EDITS=10000 makes it 10,000.
// Beside them, a command that git stops, and a passage that no commit deletes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { RevisionConflictError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { checkOut, commit } from "../../src/surfaces/cli/checkout/checkout.ts";
import { useDatabase } from "../support/database.ts";
import { runInWorld } from "../support/fake-world.ts";
import { runProgram } from "../support/program.ts";
import { useRuntimes } from "../support/runtime.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";

const edits = Number(process.env["CHECKOUT_EDITS"] ?? 60);
const editsPerCommit = 20;
/** One commit of so many is killed. */
const killEach = Number(process.env["CHECKOUT_KILL_EACH"] ?? (edits > 500 ? 4 : 1));

const runtimes = useRuntimes();
const folders: string[] = [];
let agents = 0;
const database = useDatabase({ isOwn: true });
let seed = Number(process.env["CHECKOUT_SEED"] ?? 1);

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;

const newFile = (): string => `new/${random(30)}.txt`;

/** The text with the line added at a random place. */
function withLine(text: string, line: string): string {
  const lines = text.split("\n");
  lines.splice(random(lines.length + 1), 0, line);
  return lines.join("\n");
}

const filesIn = (folder: string, below = ""): readonly string[] =>
  readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.name.startsWith(".") || entry.name === "MEMORY.md") return [];
    return entry.isDirectory() ? filesIn(folder, name) : [name];
  });

/** Puts the lines of both texts into the file, as a person would. */
function resolve(folder: string, conflict: string): void {
  const file = path.join(folder, conflict.replace(/\.conflict$/u, ""));
  const theirs = readFileSync(path.join(folder, conflict), "utf8");
  const mine = existsSync(file) ? readFileSync(file, "utf8") : "";
  const missing = theirs
    .split("\n")
    .filter((line) => /^(?:mine|theirs) \d+$/u.test(line) && !mine.split("\n").includes(line));
  writeFileSync(file, `${mine.replace(/\n?$/u, "\n")}${missing.map((line) => `${line}\n`).join("")}`);
  rmSync(path.join(folder, conflict));
}

test(
  `${edits} edits on both sides with killed commits lose nothing`,
  async () => {
    const { connection } = database;
    const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
    const models = [createScriptedModel({ replies: [] })];
    const runtime = await createRuntime({ ...place, embedder: null, model: "scripted", models, log: () => undefined });
    const home = connection.kind === "embedded" ? connection.folder : tmpdir();
    const env = connection.kind === "server" ? { DATABASE_URL: connection.url } : {};
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-edits-"));
    const { memoryFiles } = runtime;
    const agent = await runtime.agents.create({ name: "main", human: "x", persona: "y", coreMemoryLimit: 1_000_000 });
    for (const name of ["a.txt", "b/c.txt"]) await memoryFiles.write("main", name, { text: "begin", version: null });
    await runtime.archival.add("main", "A passage.");
    await checkOut(memoryFiles, folder, agent);
    const none = { text: "", version: null };
    /** What the second writer has read of memory, which the first one may have changed since. */
    let seen: readonly { readonly path: string; readonly text: string; readonly version: string | null }[] =
      await memoryFiles.list("main");
    let conflicts = 0;
    let kills = 0;
    /** The time of a commit that was not killed; the first one is not. */
    let commitMs = Number.POSITIVE_INFINITY;

    function editFolder(line: string): void {
      const names = filesIn(folder).filter((name) => !name.endsWith(".conflict"));
      const file = path.join(folder, random(12) === 0 ? newFile() : pick(names));
      mkdirSync(path.dirname(file), { recursive: true });
      const content = existsSync(file) ? readFileSync(file, "utf8") : "";
      const [, head = "", text = ""] = /^(---\n.*\n.*\n---\n)?([\s\S]*)$/u.exec(content) ?? [];
      writeFileSync(file, `${head}${withLine(text, line)}`);
    }

    async function editMemory(line: string): Promise<void> {
      for (;;) {
        const { path: file, text, version } = random(12) === 0 ? { ...none, path: newFile() } : pick(seen);
        const edited = text === "" ? line : withLine(text, line);
        try {
          const written = await memoryFiles.write("main", file, { text: edited, version });
          const next = { path: written.path!, text: edited, version: written.version };
          seen = [...seen.filter((one) => one.path !== file), next];
          return;
        } catch (error) {
          if (!(error instanceof RevisionConflictError)) throw error;
          seen = await memoryFiles.list("main");
        }
      }
    }

    async function killedCommit(): Promise<void> {
      const begun = performance.now();
      const killAfterMs = Number.isFinite(commitMs) ? random(commitMs) : 600_000;
      const options = { home, env, killAfterMs };
      const { code } = await runProgram(["memory", "commit", folder, "--embedding", "none", "--quiet"], options);
      if (code === null) kills += 1;
      else commitMs = performance.now() - begun;
    }

    async function settle(): Promise<boolean> {
      const report = await commit(memoryFiles, folder, { deletes: false });
      expect(report.refused).toEqual([]);
      conflicts += report.conflicts.length;
      const waiting = filesIn(folder).filter((name) => name.endsWith(".conflict"));
      for (const name of waiting) resolve(folder, name);
      return report.committed.length + report.conflicts.length + waiting.length > 0;
    }

    /** Throws unless memory and folder have the line of each edit. */
    async function check(done: number): Promise<void> {
      for (let rounds = 0; await settle(); rounds += 1) expect(rounds).toBeLessThan(20);
      const written = Array.from({ length: done }, (_, at) => `${at % 2 === 0 ? "mine" : "theirs"} ${at}`);
      const inMemory = (await memoryFiles.list("main")).map(({ text }) => text);
      for (const texts of [inMemory, filesIn(folder).map((name) => readFileSync(path.join(folder, name), "utf8"))]) {
        const lines = new Set(texts.flatMap((text) => text.split("\n")));
        expect(written.filter((line) => !lines.has(line))).toEqual([]);
      }
      if (edits > 500) process.stdout.write(`${done} edits, ${conflicts} conflicts, ${kills} kills\n`);
    }

    for (let done = 0; done < edits; done += editsPerCommit) {
      if (done % 500 === 0) await check(done);
      const lines = Array.from({ length: Math.min(editsPerCommit, edits - done) }, (_, at) => done + at);
      for (const at of lines.filter((one) => one % 2 === 0)) editFolder(`mine ${at}`);
      // An editor that saves while a commit replaces its file is not meant here: no program can see it.
      const isKilled = (done / editsPerCommit) % killEach === killEach - 1;
      const committing = isKilled ? killedCommit() : Promise.resolve();
      for (const at of lines.filter((one) => one % 2 === 1)) await editMemory(`theirs ${at}`);
      await committing;
      await settle();
    }
    await check(edits);
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  },
  edits * 2000,
);

async function scene() {
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })] });
  const agent = await runtime.agents.create({
    name: `checkout-${(agents += 1)}`,
    human: "Name: Ada",
    persona: "Sailor.",
  });
  const { id, name } = agent;
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-edits-"));
  folders.push(folder);
  const file = (...parts: readonly string[]) => path.join(folder, ...parts);
  const put = (at: string, text: string) => runtime.memoryFiles.write(id, at, { text, version: null });
  const out = () => checkOut(runtime.memoryFiles, folder, agent);
  const send = () => commit(runtime.memoryFiles, folder, { deletes: false });
  return { runtime, id, name, folder, file, put, out, send };
}

test("a command that git stops is repeated: the index is updated, and the history has each change once", async () => {
  const { put, out, send, file, folder } = await scene();
  const lock = file(".git", "index.lock");
  const stopped = async (run: () => Promise<unknown>) => {
    mkdirSync(file(".git"), { recursive: true });
    writeFileSync(lock, "");
    await expect(run()).rejects.toThrow(/git reset failed/u);
    rmSync(lock);
  };
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();
  const subjects = (name: string) => git("log", "--format=%s", "memory", "--", name).split("\n");
  await put("one.txt", "1");
  await stopped(out);
  await put("two.txt", "2");
  await stopped(out);
  await put("three.txt", "3");
  await stopped(send);
  await stopped(send);
  await out();
  expect(readFileSync(file("MEMORY.md"), "utf8")).toMatch(/one\.txt[^]*three\.txt[^]*two\.txt/u);
  for (const name of ["human.md", "one.txt", "two.txt", "three.txt"]) expect(subjects(name)).toHaveLength(1);
  expect(git("status", "--porcelain")).toBe("");
});

test("a passage without a chosen path is not deleted with its file, whatever the options", async () => {
  const { runtime, id, name, out, folder, file } = await scene();
  const { id: passage } = await runtime.archival.add(id, "The boat is blue.");
  await out();
  const [stored = ""] = readdirSync(file("archive"));
  rmSync(file("archive", stored));
  const end = await runInWorld(["memory", "commit", folder, "--deletes"], {
    runtime: { ...runtime, close: async () => undefined },
  });
  expect(end).toMatchObject({
    exitCode: 1,
    stdout:
      `refused    archive/${stored}: Expected a text for archive/${stored}, got none: this memory file cannot be removed. ` +
      `\`palimpsest archival remove ${passage} -a ${name}\` deletes the passage.\n`,
  });
  expect(await runtime.archival.list(name)).toMatchObject([{ id: passage, text: "The boat is blue." }]);
});
