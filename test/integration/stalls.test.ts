// A process whose event loop is blocked at any point of a turn: the turn ends normally. On the engine at hand.
// The database ends a transaction whose client is silent for 250 ms here, and the loop is blocked for 600 ms. At every point
// with STALL_POINTS=all; otherwise at some, spread over the turn.
import { createHook } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Store } from "../../src/store/port/store.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { drain } from "../support/runtime.ts";
import { append } from "../support/scene.ts";
import { createSharedWordsEmbedder } from "../support/shared-words-embedder.ts";

const stallMs = 250;
const blockMs = 600;
const wantedPoints = process.env["STALL_POINTS"] === "all" ? Number.POSITIVE_INFINITY : 16;

// Asks for the database without a pause, so that somebody always waits for it.
const source = `
  import { openDatabase } from ${JSON.stringify(path.join(packageRoot(), "dist/src/store/connection/database.js"))};
  const database = await openDatabase({ connection: JSON.parse(process.argv[1]) });
  for (;;) {
    // On a busy machine it may itself be silent for too long.
    await database.transaction("rival", (tx) => tx.run("select 1", []), { isRepeatable: true }).catch(() => undefined);
    process.stdout.write(".");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }`;

let place: TestDatabase;
let store: Store;
let runtime: Runtime;
let rival: ChildProcess;

beforeAll(async () => {
  place = await createTestDatabase({ isOwn: true });
  const connection = { ...place.connection, stallMs };
  store = await openStore({ connection });
  rival = spawn(process.execPath, ["--input-type=module", "--eval", source, JSON.stringify(connection)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let isAsking = false;
  rival.stdout!.on("data", () => (isAsking = true));
  await until(() => isAsking);
  const model = createScriptedModel({
    replies: (request) =>
      request.messages.at(-1)?.role === "user" ? { toolCalls: [append("seen")] } : { text: "Noted." },
  });
  runtime = await composeRuntime(
    { model: "scripted", models: [model], embedder: createSharedWordsEmbedder(), timeZone: "UTC" },
    { store },
  );
});

afterAll(async () => {
  rival.kill("SIGKILL");
  await runtime.close();
  await store.close();
  await place.remove();
});

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Runs the work and blocks the loop for so long at one of its points: each callback or continuation is one. Resolves to their number. */
async function stalledAt(point: number | null, ms: number, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    before() {
      count += 1;
      if (count === point) block(ms);
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

let turns = 0;

/** One turn of two model calls and a memory edit in a conversation of its own. */
async function runTurn(point: number | null, ms = blockMs) {
  turns += 1;
  const agent = await runtime.agents.open(`agent ${turns}`, { create: {} });
  let events: Awaited<ReturnType<typeof drain>> = [];
  const points = await stalledAt(point, ms, async () => {
    events = await drain(agent.send("Remember this."));
  });
  const end = events.at(-1);
  const again = await runtime.agents.open(`agent ${turns}`);
  return {
    points,
    outcome: {
      stopReason: end?.type === "turn-end" ? end.stopReason : end?.type,
      messages: again.messages.map(({ role }) => role),
      human: again.memory.read("human"),
    },
  };
}

const whole = { stopReason: "end-turn", messages: ["user", "assistant", "tool", "assistant"], human: "seen" };

test("a turn ends normally wherever the process stalls for longer than the database waits", async () => {
  const { points, outcome } = await runTurn(null);
  expect(outcome).toEqual(whole);
  const step = Math.max(1, points / wantedPoints);
  const failures: unknown[] = [];
  for (let point = 1; point <= points; point += step) {
    const at = Math.floor(point);
    const stalled = await runTurn(at).then(
      ({ outcome: reached }) => reached,
      (error: unknown) => String(error),
    );
    if (JSON.stringify(stalled) !== JSON.stringify(whole)) failures.push([at, stalled]);
  }
  expect({ of: points, failures }).toEqual({ of: points, failures: [] });
}, 1_800_000);

test("a turn ends normally when the process stalls for ten seconds, with a lease of thirty", async () => {
  // Between two commits, where the most is under way.
  const { points } = await runTurn(null);
  const { outcome } = await runTurn(Math.floor(points / 2), 10_000);
  expect(outcome).toEqual(whole);
});

test("a back-fill and a turn that share a process lose nothing when the other stalls", async () => {
  const agent = await runtime.agents.open("shared", { create: {} });
  await Promise.all(["one", "two", "three"].map((text) => runtime.archival.add("shared", text)));
  await drain(agent.send("first"));
  // The back-fill is asked for by the first turn, and reads while the second one begins.
  const points = await stalledAt(40, blockMs, () => drain(agent.send("second")));
  expect(points).toBeGreaterThan(40);
  await runtime.idle();
  expect(agent.messages.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["first", "second"]);
});
