// `reembed`: what it asks of the runtime, what it prints, and what it refuses before anything is opened.
import { PassThrough } from "node:stream";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { type CliOptions, runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

type Embeddings = Runtime["embeddings"];

const since = new Date("2026-11-21T10:13:01.000Z");
const state: Awaited<ReturnType<Embeddings["list"]>>[number] = {
  agent: { id: "agent-main", name: "main" },
  searched: { embedder: "local/use-lite", dimensions: 512, since: null, texts: 1204, missing: 0 },
  building: null,
  kept: { embedder: "openai/text-embedding-3-small", dimensions: 1536, since, texts: 1204, missing: 4 },
  dropping: [],
};

/** Three calls of two texts each, then the switch. */
const usual: Embeddings = {
  list: async () => [state],
  async reembed({ onProgress, signal, to }) {
    for (const done of [2, 4, 6]) {
      signal?.throwIfAborted();
      onProgress?.({ done, texts: 6 });
    }
    return { to: { embedder: to, dimensions: 384 }, agents: ["main"], already: [], made: 5, refused: 1 };
  },
  rollback: async () => [state],
  dropOld: async () => ({ agents: ["main"], deleted: 1204 }),
  abandon: async () => ({ agents: [], deleted: 0 }),
};

const run = (argv: readonly string[], options: CliOptions = {}, embeddings: Partial<Embeddings> = {}) => {
  const runtime = stubRuntime({ embeddings: { ...usual, ...embeddings } });
  return runInWorld(["reembed", ...argv], { runtime, ...options }).then((done) => ({ ...done, calls: runtime.calls }));
};

const runWith = (embeddings: Partial<Embeddings>, ...argv: readonly string[]) => run(argv, {}, embeddings);

describe("reembed", () => {
  it("shows the current state, and the possible commands", async () => {
    const { stdout, calls, exitCode } = await run([]);
    expect(stdout).toBe(
      [
        "AGENT  ROLE      EMBEDDER                       DIMENSIONS  TEXTS  MISSING  SINCE (UTC)",
        "main   searched  local/use-lite                 512         1,204  0        by default",
        "main   kept      openai/text-embedding-3-small  1536        1,204  4        2026-11-21 10:13",
        "",
        "Kept: `palimpsest reembed --rollback` switches back to it, --drop-old deletes it.",
        "",
      ].join("\n"),
    );
    expect({ calls, exitCode }).toEqual({ calls: [["embeddings.list", undefined], ["close"]], exitCode: 0 });
  });

  it("shows vectors that are being built and deleted, and agents without search by meaning", async () => {
    const { searched, kept } = state;
    const one = { ...state, searched: null, building: searched, kept: null, dropping: [kept!] };
    const { stdout } = await runWith({ list: async () => [one] });
    expect(stdout).toContain("main   searched  none: words only");
    expect(stdout).toContain("--to MODEL` continues, --abandon deletes it");
    expect(stdout).toContain("--drop-old` continues to delete it");
    expect((await runWith({ list: async () => [] })).stdout).toBe("There are no agents yet.\n");
  });

  it("switches to another embedder, and says how to roll back and how to delete the old vectors", async () => {
    const { stdout, stderr, calls, exitCode } = await run(["--to", "transformers/MiniLM"]);
    expect(calls[0]).toMatchObject(["embeddings.reembed", { to: "transformers/MiniLM" }]);
    expect(stdout).toBe(
      [
        "Switched to transformers/MiniLM (384 dimensions): main.",
        "5 vectors made; 1 text refused by the embedder, found by words only.",
        "The old vectors are kept, and new texts also get vectors of the old embedder. To switch back: `palimpsest reembed --rollback`. To delete them: `palimpsest reembed --drop-old`.",
        "New agents use local/use-lite, as set by `embedding` in the configuration.",
        "",
      ].join("\n"),
    );
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect((await run(["--to", "local/use-lite"])).stdout).not.toContain("New agents");
  });

  it("passes agent, widths, batch and rate", async () => {
    const argv = ["--to", "x", "-a", "main", "--from-dim", "1536", "--to-dim", "384", "--batch", "64", "--rate", "2.5"];
    expect((await run(argv)).calls[0]).toMatchObject([
      "embeddings.reembed",
      { to: "x", agents: ["main"], fromDimensions: 1536, toDimensions: 384, batch: 64, ratePerSecond: 2.5 },
    ]);
  });

  it.each([
    [{ already: ["main"] }, "There is nothing to do: main already uses x (384 dimensions).\n"],
    [{ already: ["a", "b"] }, "There is nothing to do: a, b already use x (384 dimensions).\n"],
    [{ already: [] }, "There is nothing to do: there are no agents yet.\n"],
  ])("reports when there is nothing to do: %j", async (outcome, text) => {
    const to = { embedder: "x", dimensions: 384 };
    const done = async () => ({ to, agents: [], made: 0, refused: 0, ...outcome });
    expect((await runWith({ reembed: done }, "--to", "x")).stdout).toBe(text);
  });

  it("draws a bar on a terminal, and erases it", async () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    await run(["--to", "x"], {
      stderr,
      now: (
        (at) => () =>
          (at += 200)
      )(0),
    });
    const drawn = String(stderr.read());
    expect(drawn).toContain("\rMaking vectors [██████░░░░░░░░░░░░░░] 2/6  33%");
    expect(drawn.endsWith("\r\u001b[K")).toBe(true);
  });

  it("interrupted, says that the same command continues, and exits with 130", async () => {
    const stopped = new AbortController();
    stopped.abort(new Error("interrupted"));
    const { stderr, exitCode } = await run(["--to", "x"], { signal: stopped.signal });
    expect(stderr).toContain("The vectors made so far are kept. Run the same command again to continue.");
    expect(exitCode).toBe(130);
  });

  it("rolls back", async () => {
    expect((await run(["--rollback", "-a", "main"])).calls[0]).toEqual(["embeddings.rollback", ["main"]]);
    expect((await run(["--rollback"])).stdout).toContain("main   searched  local/use-lite");
  });

  it("deletes kept vectors, and abandons those being built", async () => {
    const dropped = await run(["--drop-old"]);
    expect(dropped.stdout).toBe("Deleted 1,204 vectors (main). Those that other agents use stay.\n");
    expect(dropped.calls[0]).toEqual([
      "embeddings.dropOld",
      expect.not.objectContaining({ agents: expect.anything() }),
    ]);
    const abandoned = await run(["--abandon", "-a", "main"]);
    expect(abandoned.calls[0]).toMatchObject(["embeddings.abandon", { agents: ["main"] }]);
    expect(abandoned.stdout).toContain("There is nothing to abandon");
    const none = await runWith({ dropOld: async () => ({ agents: [], deleted: 0 }) }, "--drop-old");
    expect(none.stdout).toContain("There is nothing to delete");
  });

  it.each([
    [["--to", "x", "--rollback"], "Expected one of --to and --rollback, got both. Omit one."],
    [["--drop-old", "--abandon"], "Expected one of --drop-old and --abandon, got both. Omit one."],
    [["--batch", "3"], "--batch needs --to MODEL."],
    [["--rollback", "--rate", "3"], "--rate needs --to MODEL."],
    [["--to", "x", "--batch", "0"], '--batch: expected a whole number from 1 to 2048, got "0".'],
    [["--to", "x", "--batch", "2049"], "--batch: expected"],
    [["--to", "x", "--rate", "0"], '--rate: expected a number above 0, such as 50, got "0".'],
    [["--to", "x", "--rate", "many"], "--rate: expected"],
    [["--to", "x", "--rate", "9".repeat(1000)], "--rate: expected"],
    [["--to", "x", "--from-dim", "16001"], "--from-dim: expected a whole number from 1 to 16000"],
    [["--to", "x", "--to-dim=-1"], "--to-dim: expected"],
    [["--to", ""], "--to needs a non-empty value"],
    [["--to"], "--to needs a value"],
    [["x"], "unexpected argument"],
  ])("refuses %j", async (argv, message) => {
    const { stderr, exitCode, calls } = await run(argv);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(calls.filter(([name]) => name !== "close")).toEqual([]);
  });
});
