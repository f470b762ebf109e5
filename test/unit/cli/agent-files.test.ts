// The commands for agent files: what they ask of the runtime, and what they print.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { type CliRun, runInWorld } from "../../support/fake-world.ts";

let folder: string;
let runtime: ReturnType<typeof createFakeRuntime>;
const run = (argv: readonly string[]): Promise<CliRun> => runInWorld(["agents", ...argv], { runtime });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-agent-files-"));
  runtime = createFakeRuntime({ agents: ["main"] });
});
afterEach(() => rm(folder, { recursive: true }));

test("an agent is exported to a new file that only its owner reads, or to standard output", async () => {
  const file = path.join(folder, "main.af");
  const written = await run(["export", file]);
  expect(written).toMatchObject({ exitCode: 0, stdout: `Wrote the agent "main" to ${file}.\n` });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    agents: [{ name: "main" }],
    palimpsest: { version: 1 },
  });
  const again = await run(["export", file]);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("already exists") });
  const printed = await run(["export", "-"]);
  expect(JSON.parse(printed.stdout)).toMatchObject({ agents: [{ name: "main" }] });
  expect(printed.stderr).toContain('wrote the agent "main"');
});

test("a file is imported with the options of the flags, and notes go to stderr", async () => {
  const file = path.join(folder, "ada.af");
  await writeFile(file, '{"agents":[]}');
  const flags = [
    "--name",
    "ada",
    "--suffix",
    "_copy",
    "--model",
    "demo",
    "--without-messages",
    "--existing-tools",
    "replace",
    "--keep-trust",
  ];
  const imported = await run(["import", file, ...flags]);
  expect(imported).toMatchObject({
    exitCode: 0,
    stdout: 'Imported "imported": 1 agent, 2 modules of memory, 1 conversation, 40 messages, 5 passages.\n',
    stderr: "palimpsest: 1 skill(s): not moved.\n",
  });
  const options = {
    name: "ada",
    suffix: "_copy",
    model: "demo",
    withoutMessages: true,
    existingTools: "replace",
    keepTrust: true,
  };
  expect(runtime.calls).toContainEqual(["agents.import", '{"agents":[]}', options]);
  const asJson = await run(["import", file, "--json"]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    agents: [{ name: "imported" }],
    counts: { messages: 40 },
    notes: ["1 skill(s): not moved."],
  });
});

test("a file that cannot be read, and a policy that does not exist, are refused", async () => {
  expect(await run(["import", path.join(folder, "none.af")])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("cannot read"),
  });
  const file = path.join(folder, "ada.af");
  await writeFile(file, "{}");
  expect(await run(["import", file, "--existing-tools", "drop"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("keep or replace"),
  });
  expect(runtime.calls.filter(([name]) => name === "agents.import")).toEqual([]);
});

test("a Letta database is imported, also on trial", async () => {
  const database = "postgresql://letta@localhost/letta";
  const importing = (...flags: readonly string[]) => runInWorld(["import", "letta", ...flags], { runtime });
  expect(await importing("--database", database, "--model", "demo")).toMatchObject({
    exitCode: 0,
    stdout:
      "Imported: 1 agent, 2 modules of memory, 1 conversation, 40 messages, 5 passages, 1 identity (1 agent of the database).\n",
    stderr: "palimpsest: 1 group(s): not moved.\n",
  });
  expect((await importing("--database", database, "--dry-run")).stdout).toMatch(/^Would import: 1 agent/u);
  expect(runtime.calls.filter(([name]) => name === "agents.importLetta")).toEqual([
    ["agents.importLetta", database, { dryRun: false, model: "demo" }],
    ["agents.importLetta", database, { dryRun: true }],
  ]);
  expect(JSON.parse((await importing("--database", database, "--json")).stdout)).toMatchObject({
    agents: [{ name: "imported" }],
    counts: { messages: 40 },
    dryRun: false,
  });
  expect(await importing()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Missing --database URL, such as postgresql://"),
  });
});
