// The health of a host: what it makes of a database and an embedder that work, fail, or do not answer.
import { StoreError } from "../../../src/base/errors.ts";
import { hostHealth } from "../../../src/runtime/operations/host-health.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const backFill = { running: 1, vectors: 2 };
const clock = createManualClock();
const works = { ping: async () => undefined };
const embedder = { name: "words", pauseMs: () => 0 };

test("is ok if the database answers and the embedder is called", async () => {
  expect(await hostHealth({ store: works, embedder, backFill, isClosing: false, clock }, {})).toEqual({
    status: "ok",
    isClosing: false,
    database: { isReachable: true, latencyMs: expect.any(Number) },
    embedder: { name: "words", isAvailable: true, retryMs: 0 },
    backFill,
  });
});

test.each([
  ["is ok without an embedder", { embedder: null }, { status: "ok", embedder: null }],
  [
    "is degraded while the embedder pauses",
    { embedder: { name: "words", pauseMs: () => 500 } },
    { status: "degraded", embedder: { isAvailable: false, retryMs: 500 } },
  ],
  ["has failed while the host closes", { isClosing: true }, { status: "failed", isClosing: true }],
  [
    "has failed without the database, with the reason",
    { store: { ping: async () => Promise.reject(new StoreError("store_unreachable", "Cannot reach it.")) } },
    {
      status: "failed",
      database: {
        isReachable: false,
        latencyMs: null,
        error: { code: "store_unreachable", message: "Cannot reach it." },
      },
    },
  ],
])("%s", async (_title, change, expected) => {
  const deps = { store: works, embedder, backFill, isClosing: false, clock, ...change };
  expect(await hostHealth(deps, {})).toMatchObject(expected);
});

test("has failed if the database does not answer in time", async () => {
  const store = { ping: () => new Promise<void>(() => undefined) };
  const checking = hostHealth({ store, embedder: null, backFill, isClosing: false, clock }, { timeoutMs: 750 });
  await clock.advance(749);
  await clock.advance(1);
  expect(await checking).toMatchObject({
    status: "failed",
    database: { error: { code: "store_unreachable", message: "The database did not answer within 750 ms." } },
  });
});
