// `palimpsest load`: outcomes of many files, progress, and an interruption. The other commands of sources are in a session of
// test/parity.
import { Writable } from "node:stream";
import { type CliOptions, runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { SourceLoadResult } from "../../../src/runtime/sources/contract.ts";

const at = new Date("2026-11-21T10:13:01.000Z");
const counts = { files: 2, failed: 1, bytes: 123_456, passages: 3 };
const owned = { agents: ["main"], agentIds: ["agent-1"], createdAt: at, loadedAt: at };
const details = { description: "how we work", metadata: {}, extensions: {} };
const loaded: SourceLoadResult = {
  source: { id: "source-1", name: "handbook", ...details, ...counts, ...owned },
  added: 1,
  changed: 0,
  unchanged: 0,
  failed: [{ name: "docs/b.pdf", reason: "it is empty" }],
  skipped: [],
  gone: [],
  removed: 0,
  passages: 3,
  vectors: { made: 2, missing: 1 },
};

const load: Runtime["sources"]["load"] = async (_name, _inputs, { onProgress } = {}) => {
  onProgress?.({ phase: "files", filesDone: 1, files: 2, bytesDone: 10, bytes: 20, name: "docs/a.md" });
  onProgress?.({ phase: "files", filesDone: 2, files: 2, bytesDone: 20, bytes: 20, name: "docs/b.pdf" });
  onProgress?.({ phase: "vectors", passagesDone: 2, passages: 3 });
  return loaded;
};

const run = (argv: readonly string[], options: CliOptions = {}) => {
  const runtime = stubRuntime({ sources: { load } });
  return runInWorld(argv, { runtime, ...options }).then((done) => ({ ...done, calls: runtime.calls }));
};

/** Loads with this result. */
const runWith = (result: Partial<SourceLoadResult>) =>
  runInWorld(["load", "docs", "--source", "handbook"], {
    runtime: stubRuntime({ sources: { load: async () => ({ ...loaded, ...result }) } }),
  });

describe("load", () => {
  it("loads all named files, and reports the outcomes", async () => {
    const argv = ["load", "docs", "b.md", "*.txt", "--source", "handbook", "--prune", "--description", "how we work"];
    const { calls, stdout, exitCode } = await run(argv);
    const request = { description: "how we work", prune: true };
    expect(calls[0]).toMatchObject(["sources.load", "handbook", ["docs", "b.md", "*.txt"], request]);
    expect(stdout).toBe(
      [
        "Could not be read:",
        "  docs/b.pdf: it is empty",
        'Loaded into "handbook": 1 file added, 0 changed, 0 unchanged, 1 failed, 0 skipped.',
        "3 new passages, 3 passages in all; 2 vectors made, 1 missing: passages without a vector are found by words only.",
        "Searched by main.",
        "",
      ].join("\n"),
    );
    expect(exitCode).toBe(1);
  });

  it("exits with 0 when every file was read", async () => {
    const { exitCode, stdout } = await runWith({ failed: [], gone: ["/a"], removed: 1 });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Removed, since the files no longer exist:\n {2}\/a\n/u);
  });

  it("lists fifty files of a kind, and counts the rest", async () => {
    const failed = Array.from({ length: 120 }, (_, index) => ({
      name: `${index}\u001b[2J\n.txt`,
      reason: "it is empty",
    }));
    const { stdout } = await runWith({ failed });
    expect(stdout.split("\n").filter((line) => line.endsWith(".txt: it is empty"))).toHaveLength(50);
    expect(stdout).toContain("  and 70 more (--json lists all)");
    expect(stdout).not.toContain("\u001b");
  });

  it("says that it can be continued when it is interrupted", async () => {
    const stop = new AbortController();
    const stopped = () => {
      stop.abort();
      return Promise.reject(stop.signal.reason);
    };
    const runtime = stubRuntime({ sources: { load: stopped } });
    const done = await runInWorld(["load", "docs", "--source", "x"], { runtime, signal: stop.signal });
    expect(done.exitCode).toBe(130);
    expect(done.stderr).toContain("The files loaded so far are kept. Run the same command again to continue.");
  });
});

describe("progress", () => {
  function terminal(columns: number) {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        done();
      },
    });
    return { stderr: Object.assign(stream, { isTTY: true, columns }), text: () => written.join("") };
  }

  it("is redrawn on a terminal, and erased before the result", async () => {
    const { stderr, text } = terminal(100);
    let now = 0;
    await run(["load", "docs", "--source", "handbook"], { stderr, now: () => (now += 2000) });
    expect(text()).toBe(
      [
        "\rReading files [██████████░░░░░░░░░░] 1/2  50%  docs/a.md\u001b[K",
        "\rReading files [████████████████████] 2/2  100%  1.0/s  docs/b.pdf\u001b[K",
        "\rMaking vectors [█████████████░░░░░░░] 2/3  66%\u001b[K",
        "\r\u001b[K",
      ].join(""),
    );
  });

  it("is a line every five seconds without a terminal", async () => {
    let now = 0;
    const { stderr } = await run(["load", "docs", "--source", "handbook"], { now: () => (now += 5000) });
    expect(stderr).toBe("palimpsest: Reading files 2/2  100%  0.4/s  docs/b.pdf\n");
  });

  it("is not shown with --quiet", async () => {
    const { stderr, text } = terminal(100);
    let now = 0;
    await run(["load", "docs", "--source", "handbook", "--quiet"], { stderr, now: () => (now += 5000) });
    expect(text()).toBe("");
  });
});
