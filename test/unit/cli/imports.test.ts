// The commands for imports: what they ask of the runtime, and what they print. Wrong words are in a session of test/parity.
import type { ImportReport } from "../../../src/runtime/imports/contract.ts";
import { type CliRun, runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const report: ImportReport = {
  found: { conversations: 12, messages: 3400, branches: 3, passages: 0 },
  added: { conversations: 11, messages: 3300, passages: 0 },
  leftOut: [{ text: "images", count: 7 }],
  notes: [{ text: 'content of the unknown type "super_widget", kept as text', count: 2 }],
};
let read = "";
const runtime = stubRuntime({
  imports: {
    async run(_agent, source, { onProgress }) {
      onProgress?.({ ...report.added, bytes: 500_000, totalBytes: 1_000_000 });
      if (typeof source !== "string") for await (const chunk of source) read += Buffer.from(chunk).toString("utf8");
      return report;
    },
  },
});
const run = (argv: readonly string[], options = {}): Promise<CliRun> =>
  runInWorld(["import", ...argv], { runtime, ...options });
const asked = () => runtime.calls.findLast(([name]) => name === "imports.run");

test.each(["chatgpt", "claude", "mem0", "folder"])(
  "import %s passes the file on, and prints the report",
  async (form) => {
    const { exitCode, stdout, stderr } = await run([form, "export.zip", "--agent", "ada"]);
    expect(exitCode).toBe(0);
    expect(asked()).toMatchObject(["imports.run", "ada", "export.zip", { form, dryRun: false }]);
    expect(stdout).toBe(
      "Imported 11 conversations, 3,300 messages; 1 conversation, 100 messages already stored (the file has 3 branches besides the current threads).\n",
    );
    expect(stderr).toBe(
      'palimpsest: left out: images (7)\npalimpsest: note: content of the unknown type "super_widget", kept as text (2)\n',
    );
  },
);

test("--dry-run stores nothing, and says so", async () => {
  const { stdout } = await run(["chatgpt", "export.zip", "--dry-run"]);
  expect(asked()).toMatchObject(["imports.run", "main", "export.zip", { form: "chatgpt", dryRun: true }]);
  expect(stdout).toMatch(/^Would import 11 conversations/u);
});

test("--json prints the report, and --quiet no notices", async () => {
  const { stdout, stderr } = await run(["claude", "export.zip", "--json", "--quiet"]);
  expect(JSON.parse(stdout)).toEqual({ form: "claude", dryRun: false, ...report });
  expect(stderr).toBe("");
});

test("standard input is read as a stream", async () => {
  await run(["mem0", "-"], { input: '[{"memory":"x"}]' });
  expect(asked()).toMatchObject(["imports.run", "main", expect.anything(), { form: "mem0", dryRun: false }]);
  expect(read).toBe('[{"memory":"x"}]');
});

test.each([
  ["chatgpt", ["chatgpt", "x.zip"]],
  ["letta", ["letta", "--database", "postgresql://letta@localhost/letta"]],
])("an interrupted import of %s can be continued, and of a dry run nothing stays", async (_, argv) => {
  const interrupted = async (...flags: readonly string[]) => {
    const stop = new AbortController();
    const reason = new DOMException("Stopped.", "AbortError");
    const stopped = async () => {
      stop.abort(reason);
      throw reason;
    };
    const { exitCode, stderr } = await run([...argv, ...flags], {
      runtime: stubRuntime({ imports: { run: stopped }, agents: { importLetta: stopped } }),
      signal: stop.signal,
    });
    expect(exitCode).not.toBe(0);
    return stderr;
  };
  const stays = "Everything imported so far is kept. Run the same command again to continue.";
  expect(await interrupted()).toContain(stays);
  expect(await interrupted("--dry-run")).not.toContain("is kept");
});
