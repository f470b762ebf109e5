// What a user gets wrong: each a clear line that says what to do, a right exit code, and nothing lost.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { isRunning, lockOf, newFolder, openPool, removeFolders, usedFolder } from "../support/embedded-folder.ts";
import { until } from "../support/until.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";

afterAll(() => removeFolders());

const demo = ["-m", "demo", "-a", "scout"];

function expectOneLine(result: ProgramResult, code: number, pattern: RegExp): void {
  expect(result.stdout).toBe("");
  const lines = result.stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !/preparing the data folder|data folder is ready/u.test(line) && !line.includes("pattern rules"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^palimpsest: /);
  expect(lines[0]).toMatch(pattern);
  expect(result.code).toBe(code);
}

describe("before anything is opened", () => {
  const home = newFolder();

  test.each([
    ["an unknown model", ["-p", "hi", "-m", "gpt"], 2, /"gpt".*anthropic\/NAME|anthropic\/NAME.*gpt/],
    ["a model without its key", ["-p", "hi", "-m", "anthropic/claude"], 2, /ANTHROPIC_API_KEY/],
    [
      "an embedder without its key",
      ["-p", "hi", ...demo, "--embedding", "openai/any"],
      2,
      /openai\/any.*OPENAI_API_KEY/,
    ],
    ["an embedder that is none", ["-p", "hi", ...demo, "--embedding", "word2vec"], 2, /word2vec/],
    [
      "a model that is in no folder",
      ["-p", "hi", ...demo, "--embedding", "transformers/x"],
      2,
      /The model in .*models\/x has no/,
    ],
    ["a persona that cannot be read", ["-p", "hi", ...demo, "--persona", "./nowhere.md"], 2, /nowhere\.md/],
    ["an empty -p", ["-p", ""], 2, /-p.*empty/],
    ["an unknown flag", ["--modle", "demo"], 2, /--modle.*--model/],
    ["an unknown command", ["agnets"], 2, /agnets.*agents/],
    ["a number that is none", ["-p", "hi", ...demo, "--max-steps", "many"], 2, /max-steps.*many/],
  ] as const)("%s", async (_title, args, code, pattern) => {
    expectOneLine(await runProgram(args, { home }), code, pattern);
  });

  test("a corrupt configuration file is named in the error, with advice, and not changed", async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "config.json"), '{"model": demo}');
    expectOneLine(await runProgram(["-p", "hi"], { home: folder }), 2, /config\.json/);
  });

  test("an overlong persona is refused with both lengths, and no agent is created", async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "long.md"), "x".repeat(4500));
    const result = await runProgram(["-p", "hi", ...demo, "--persona", path.join(folder, "long.md")], { home: folder });
    expectOneLine(result, 2, /4500.*4000|4000.*4500/);
    const listed = await runProgram(["agents", "list", "--json"], { home: folder });
    expect(JSON.parse(listed.stdout)).toEqual([]);
  });

  test("a data folder that cannot be written", async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "file"), "");
    const result = await runProgram(["-p", "hi", ...demo, "--data-dir", path.join(folder, "file", "data")], {
      home: folder,
    });
    expectOneLine(result, 1, /file/);
  });

  test("a server that cannot be reached is named without its password", async () => {
    const env = { DATABASE_URL: "postgres://ada:topsecret@127.0.0.1:9/none" };
    const result = await runProgram(["-p", "hi", ...demo], { home, env });
    expectOneLine(result, 1, /127\.0\.0\.1:9/);
    expect(result.stderr).not.toContain("topsecret");
  });

  test("the error for a PostgreSQL without pgvector says what to install", async () => {
    const plain = await PGlite.create();
    const server = new PGLiteSocketServer({ db: plain, port: 0, host: "127.0.0.1", maxConnections: 10 });
    await server.start();
    try {
      const address = server.getServerConn();
      const env = { DATABASE_URL: `postgres://postgres:postgres@${address}/postgres` };
      expectOneLine(await runProgram(["-p", "hi", ...demo], { home, env }), 1, /pgvector/);
    } finally {
      await server.stop();
      await plain.close();
    }
  });
});

test("the error for an unknown agent suggests the nearest name; a blank message changes nothing", async () => {
  const home = await usedFolder();
  const first = await runProgram(["-p", "My name is Ada", ...demo, "--quiet"], { home });
  expect(first.code).toBe(0);
  expectOneLine(await runProgram(["memory", "show", "-a", "scuot"], { home }), 1, /scuot.*scout/);
  expect((await runProgram(["-p", "  \n", ...demo], { home })).code).toBe(2);
  const shown = await runProgram(["memory", "show", "-a", "scout", "--json"], { home });
  expect(shown.stdout).toContain("Name: Ada");
});

test("a second process on the same folder attaches and works", async () => {
  const home = newFolder();
  const results = await Promise.all(
    ["one", "two", "three"].map((name) =>
      runProgram(["-p", `My name is ${name}`, "-m", "demo", "-a", name, "--quiet"], { home }),
    ),
  );
  expect(results.map((result) => result.code)).toEqual([0, 0, 0]);
  const listed = JSON.parse((await runProgram(["agents", "list", "--json"], { home })).stdout) as readonly {
    readonly name: string;
  }[];
  expect(listed.map((agent) => agent.name).sort()).toEqual(["one", "three", "two"]);
});

test("a schema that is newer than the program is refused, and nothing is changed", async () => {
  const home = await usedFolder();
  await runProgram(["-p", "My name is Ada", ...demo, "--quiet"], { home });
  const { server, sql } = await openPool({ folder: home });
  await sql.unsafe(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('from the future', 99999999999999)",
  );
  await sql.end();
  await server.close();
  const { pid } = lockOf(home).entry;
  process.kill(pid, "SIGTERM");
  await until(() => !isRunning(pid));
  expectOneLine(await runProgram(["memory", "show", "-a", "scout"], { home }), 1, /newer/);
  expect(existsSync(path.join(home, "pgdata"))).toBe(true);
});

/** What moves a cursor, rings a bell or sets a title. */
const controls = (text: string): readonly string[] =>
  [...text].filter((character) => /\p{Cc}/u.test(character) && character !== "\n");

test("control sequences in text of models and memory do not reach the terminal", async () => {
  const home = await usedFolder();
  const evil = "\u001b]0;owned\u0007\u001b[31mred\u009b2J";
  const said = await runProgram(["-p", `Remember that ${evil}`, ...demo, "--quiet"], { home });
  expect(controls(said.stdout)).toEqual([]);
  for (const args of [
    ["archival", "list", "-a", "scout"],
    ["recall", "search", "red", "-a", "scout"],
  ]) {
    const listed = await runProgram(args, { home });
    expect(listed.stdout).toContain("red");
    expect(controls(listed.stdout)).toEqual([]);
  }
});
