// What commands print of hostile texts and of models, what they ask on a terminal, and backups. Other listings are in the sessions
// of test/parity.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DependentEditsError } from "../../../src/base/errors.ts";
import type { ModuleView } from "../../../src/runtime/memory/contract.ts";
import { revision } from "../../support/fake-agent.ts";
import { type CliRun, runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const run = (...argv: string[]): Promise<CliRun> => runInWorld(argv);

/** Shows a module of core memory with this text. */
function shownMemory(value: string, ...flags: readonly string[]): Promise<CliRun> {
  const texts = {
    value,
    length: 25,
    limit: 2000,
    readOnly: false,
    revision: 1,
    trust: "model",
    lineTrust: null,
  } as const;
  const module: ModuleView = {
    id: "module",
    ownerId: "ada",
    label: "human",
    scope: "user",
    description: null,
    ...texts,
  };
  return runInWorld(["memory", "show", ...flags], { runtime: stubRuntime({ memory: { show: async () => [module] } }) });
}

describe("--json", () => {
  it("models", async () => {
    const { stdout } = await run("models", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      model: "demo",
      forms: [
        { form: "demo", key: null, isKeySet: true },
        { form: "anthropic/NAME", key: "ANTHROPIC_API_KEY", isKeySet: true },
        { form: "openai/NAME", key: "OPENAI_API_KEY", isKeySet: false },
        { form: "PATH.gguf", key: null, package: "node-llama-cpp", isInstalled: false },
      ],
      embedders: [{ name: "local/use-lite", dimensions: 512, windowTokens: 128, isReady: true, isUsed: true }],
    });
  });

  it("escapes every control character", async () => {
    const nasty = "\u001b[31m\u009b\u007f\u2028\u202e\ud800";
    const { stdout } = await shownMemory(nasty, "--json");
    expect(stdout).toContain(String.raw`"\u001b[31m\u009b\u007f\u2028\u202e\ud800"`);
    expect(JSON.parse(stdout)).toMatchObject([{ value: nasty }]);
  });
});

describe("for people", () => {
  it("shows models and embedders", async () => {
    const { stdout } = await run("models");
    expect(stdout).toContain("OPENAI_API_KEY is not set");
    expect(stdout).toContain(
      "EMBEDDING              WIDTH  WINDOW  RUNS ON       READY  NEEDS\n" +
        "local/use-lite (used)  512    128     this machine  yes    nothing\n\nNew agents use the model demo",
    );
    expect(stdout).toContain("The window of that model has 8,192 tokens, stated by its server.");
  });

  it("gives advice if the embedder in use is not ready, or its width and window are unknown", async () => {
    const lacking = {
      name: "transformers/\u001b[2Jx",
      dimensions: null,
      windowTokens: null,
      isRemote: true,
      needs: "a folder",
      isReady: false,
      isUsed: true,
    };
    const { stdout } = await runInWorld(["models"], { embedders: async () => [lacking] });
    expect(stdout).toContain(
      "transformers/x (used)  -      -       a server  no     a folder\n`palimpsest doctor` reports",
    );
  });

  it("strips control sequences", async () => {
    const { stdout } = await shownMemory("\u001b]0;owned\u0007Ada\u001b[2J");
    expect(stdout).toBe("human (25/2000 characters, revision 1, yours)\n  Ada\n");
  });
});

describe("memory undo --force", () => {
  const argv = ["memory", "undo", "human", "--revision", "1", "--force"];
  const forced = ["memory.undo", "main", "human", { revision: 1, force: true }];
  const done = "Reverted revision 3 of human.\nReverted revision 2 of human.\nReverted revision 1 of human.\n";

  it.each([
    ["y\n", [], 0, done],
    ["yes\n", [], 0, done],
    ["\n", [], 1, ""],
    ["no\n", [], 1, ""],
    ["", [], 1, ""],
    ["", ["--yes"], 0, done],
  ])("on a terminal, %j to the question and %j", async (input, more, exitCode, stdout) => {
    const asked = stubRuntime({
      memory: {
        async undo(_agent, label, { force } = {}) {
          if (force !== true) throw new DependentEditsError([{ label: label ?? "", revisions: [1], later: [2, 3] }]);
          return { ...revision(), later: [revision({ revision: 3 }), revision({ revision: 2 })] };
        },
      },
    });
    const found = await runInWorld([...argv, ...more], { runtime: asked, input, isTerminal: true });
    expect(found).toMatchObject({ exitCode, stdout });
    expect(found.stderr.includes("also reverts revision 2 of human, 3 of human. Continue? [y/N]")).toBe(
      more.length === 0,
    );
    expect(asked.calls.filter((call) => JSON.stringify(call) === JSON.stringify(forced))).toHaveLength(1 - exitCode);
  });
});

describe("backup", () => {
  it("writes to a new file only", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-backup-"));
    const [old, fresh] = [path.join(folder, "old"), path.join(folder, "new")];
    await writeFile(old, "");
    const runtime = stubRuntime({ backup: async () => ({ rows: 1, external: [] }) });
    expect(await runInWorld(["backup", old], { runtime })).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await runInWorld(["backup", fresh], { runtime })).toMatchObject({
      exitCode: 0,
      stdout: `Wrote ${fresh}.\n`,
    });
    await rm(folder, { recursive: true });
  });

  it("and restore report the objects that the file does not contain", async () => {
    const file = path.join(tmpdir(), "palimpsest-backup-that-is-never-written");
    const external = [{ backend: "folder", objects: 3, bytes: 1_200_000 }];
    for (const [argv, before] of [
      [["backup", file], "The file does not contain the content of "],
      [["restore", file], "The rows refer to "],
    ] as const) {
      const done = async () => ({ rows: 1, external });
      const asked = stubRuntime({ backup: done, restore: done });
      const { stderr } = await runInWorld(argv, { runtime: asked });
      expect(asked.calls).toEqual([argv, ["close"]]);
      expect(stderr).toContain(`${before}3 objects in "folder" (1.2 MB)`);
    }
  });
});
