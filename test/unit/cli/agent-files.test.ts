// The commands for agent files: what they ask of the runtime, and notes. What else they print is in a session of test/parity.
import { stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fakeRecord } from "../../support/fake-agent.ts";
import { type CliRun, runInWorld } from "../../support/fake-world.ts";
import { type StubRuntime, stubRuntime } from "../../support/stub-runtime.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const counts = { agents: 1, modules: 2, tools: 0, sources: 0, files: 0, conversations: 1, messages: 40, passages: 5 };

const folder = useFolderOfTest();
let runtime: StubRuntime;
const run = (...argv: readonly string[]): Promise<CliRun> => runInWorld(argv, { runtime });

beforeEach(async () => {
  runtime = stubRuntime({
    agents: {
      export: async () => ({ agents: [] }) as never,
      import: async () => ({
        agents: [{ ...fakeRecord, name: "imported" }],
        counts,
        notes: ["1 skill(s): not moved."],
      }),
      async importLetta(_databaseUrl, { onProgress } = {}) {
        onProgress?.({ agentsDone: 0, agents: 1, name: "imported" });
        const agents = [{ id: "a1", name: "imported" }];
        return { agents, counts: { ...counts, identities: 1 }, notes: ["1 group(s): not moved."] };
      },
    },
  });
});

test("only its owner reads the file of an exported agent", async () => {
  const file = path.join(folder(), "main.af");
  expect(await run("agents", "export", file)).toMatchObject({ exitCode: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a file is imported with the options of the flags, and notes go to stderr", async () => {
  const file = path.join(folder(), "ada.af");
  await writeFile(file, '{"agents":[]}');
  const named = ["--name", "ada", "--suffix", "_copy", "--model", "demo", "--without-messages"];
  expect(await run("agents", "import", file, ...named, "--existing-tools", "replace", "--keep-trust")).toMatchObject({
    exitCode: 0,
    stdout: 'Imported "imported": 1 agent, 2 modules of memory, 1 conversation, 40 messages, 5 passages.\n',
    stderr: "palimpsest: 1 skill(s): not moved.\n",
  });
  const shape = { name: "ada", suffix: "_copy", model: "demo", withoutMessages: true };
  const options = { ...shape, existingTools: "replace", keepTrust: true };
  expect(runtime.calls).toContainEqual(["agents.import", '{"agents":[]}', options]);
});

test("a Letta database is imported, also on trial", async () => {
  const database = "postgresql://letta@localhost/letta";
  const importing = (...flags: readonly string[]) => run("import", "letta", "--database", database, ...flags);
  expect(await importing("--model", "demo")).toMatchObject({
    exitCode: 0,
    stdout:
      "Imported: 1 agent, 2 modules of memory, 1 conversation, 40 messages, 5 passages, 1 identity (1 agent of the database).\n",
    stderr: "palimpsest: 1 group(s): not moved.\n",
  });
  expect((await importing("--dry-run")).stdout).toMatch(/^Would import: 1 agent/u);
  expect(runtime.calls.filter(([name]) => name === "agents.importLetta")).toMatchObject([
    ["agents.importLetta", database, { dryRun: false, model: "demo" }],
    ["agents.importLetta", database, { dryRun: true }],
  ]);
  expect(JSON.parse((await importing("--json")).stdout)).toMatchObject({
    agents: [{ name: "imported" }],
    counts: { messages: 40 },
    dryRun: false,
  });
});
