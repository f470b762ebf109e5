// Two writers, one in the folder of a checkout and one in memory, with commits that are killed: nothing that either wrote is lost.
// Each edit adds a line of its own, so every line must be in memory at the end. CHECKOUT_EDITS=10000 makes it 10,000.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { RevisionConflictError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { checkOut, commit } from "../../src/surfaces/cli/checkout/checkout.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { runProgram } from "../support/program.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";

const edits = Number(process.env["CHECKOUT_EDITS"] ?? 120);
const editsPerCommit = 10;
/** One commit of so many is killed. */
const killEach = Number(process.env["CHECKOUT_KILL_EACH"] ?? 4);

let database: TestDatabase;
let seed = Number(process.env["CHECKOUT_SEED"] ?? 1);

beforeAll(async () => {
  database = await createTestDatabase({ isOwn: true });
});
afterAll(() => database.remove());

function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;

/** The text with the line added at a random place. */
function withLine(text: string, line: string): string {
  const lines = text.split("\n");
  lines.splice(random(lines.length + 1), 0, line);
  return lines.join("\n");
}

function filesIn(folder: string, below = ""): readonly string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.name.startsWith(".") || entry.name === "MEMORY.md") return [];
    return entry.isDirectory() ? filesIn(folder, name) : [name];
  });
}

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
    let conflicts = 0;
    let kills = 0;

    function editFolder(line: string): void {
      const names = filesIn(folder).filter((name) => !name.endsWith(".conflict"));
      if (random(12) === 0) {
        mkdirSync(path.join(folder, "new"), { recursive: true });
        writeFileSync(path.join(folder, "new", `${random(30)}.txt`), `${line}\n`, { flag: "a" });
        return;
      }
      const file = path.join(folder, pick(names));
      const content = readFileSync(file, "utf8");
      const [, head = "", text = ""] = /^(---\n.*\n.*\n---\n)?([\s\S]*)$/u.exec(content) ?? [];
      writeFileSync(file, `${head}${withLine(text, line)}`);
    }

    async function editMemory(line: string): Promise<void> {
      for (;;) {
        const { path: file, text, version } = pick(await memoryFiles.list("main"));
        const target =
          random(12) === 0 ? { file: `new/${random(30)}.txt`, text: "", version: null } : { file, text, version };
        try {
          const edited = target.text === "" ? line : withLine(target.text, line);
          await memoryFiles.write("main", target.file, { text: edited, version: target.version });
          return;
        } catch (error) {
          if (!(error instanceof RevisionConflictError)) throw error;
        }
      }
    }

    async function killedCommit(): Promise<void> {
      const options = { home, env, killAfterMs: 300 + random(2500) };
      const { code } = await runProgram(["memory", "commit", folder, "--embedding", "none", "--quiet"], options);
      kills += code === null ? 1 : 0;
    }

    async function settle(): Promise<boolean> {
      const report = await commit(memoryFiles, folder, { deletes: false });
      expect(report.refused).toEqual([]);
      conflicts += report.conflicts.length;
      const waiting = filesIn(folder).filter((name) => name.endsWith(".conflict"));
      for (const name of waiting) resolve(folder, name);
      return report.committed.length + report.conflicts.length + waiting.length > 0;
    }

    for (let done = 0; done < edits; done += editsPerCommit) {
      const lines = Array.from({ length: Math.min(editsPerCommit, edits - done) }, (_, at) => done + at);
      for (const at of lines.filter((one) => one % 2 === 0)) editFolder(`mine ${at}`);
      // An editor that saves while a commit replaces its file is not meant here: no program can see it.
      const isKilled = (done / editsPerCommit) % killEach === killEach - 1;
      const committing = isKilled ? killedCommit() : Promise.resolve();
      for (const at of lines.filter((one) => one % 2 === 1)) await editMemory(`theirs ${at}`);
      await committing;
      await settle();
    }
    for (let rounds = 0; await settle(); rounds += 1) expect(rounds).toBeLessThan(20);
    const lines = new Set((await memoryFiles.list("main")).flatMap(({ text }) => text.split("\n")));
    const written = Array.from({ length: edits }, (_, at) => `${at % 2 === 0 ? "mine" : "theirs"} ${at}`);
    expect(written.filter((line) => !lines.has(line))).toEqual([]);
    const inFolder = new Set(
      filesIn(folder).flatMap((name) => readFileSync(path.join(folder, name), "utf8").split("\n")),
    );
    expect(written.filter((line) => !inFolder.has(line))).toEqual([]);
    if (edits > 500) process.stdout.write(`${edits} edits, ${conflicts} conflicts, ${kills} kills\n`);
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  },
  edits * 2000,
);
