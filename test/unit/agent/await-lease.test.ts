// Waiting for a lease: a sender that gives up while the lease is taken does not begin its turn.
import { awaitLease, type LeaseRequest } from "../../../src/agent/lease/await-lease.ts";
import type { AgentDeps } from "../../../src/agent/turn.ts";
import type { LeaseOutcome } from "../../../src/store/port/turn-store.ts";

type Deps = Parameters<typeof awaitLease>[0];

const taken: LeaseOutcome = { type: "taken", lease: { conversationId: "c", fence: 1 }, leafId: null, windowVersion: 0 };
const busy: LeaseOutcome = { type: "busy", holder: null, ahead: 0 };

/** The outcomes come one after the other, and the sender gives up while the last one comes. */
function setUp(outcomes: readonly LeaseOutcome[]) {
  const left = [...outcomes];
  const givingUp = new AbortController();
  const withdrawn: string[] = [];
  const deps = {
    agent: { id: "a" } as AgentDeps["agent"],
    conversationId: "c",
    session: {
      async take() {
        const outcome = left.shift();
        if (left.length === 0) givingUp.abort(new Error("enough"));
        return outcome;
      },
    },
    store: {
      inputs: {
        enqueue: async () => undefined,
        listen: () => null,
        withdraw: async (_conversationId: string, key: string) => withdrawn.push(key) > 0,
      },
    },
  } as unknown as Deps;
  const request: LeaseRequest = {
    waitMs: 1000,
    turnId: "t",
    signal: givingUp.signal,
    input: { messages: [{ idempotencyKey: "k", content: [] }] } as unknown as NonNullable<LeaseRequest["input"]>,
  };
  return { deps, request, withdrawn };
}

async function wait(deps: Deps, request: LeaseRequest): Promise<void> {
  for await (const _event of awaitLease(deps, request));
}

test("a lease that is taken while its sender gives up begins no turn", async () => {
  const { deps, request } = setUp([taken]);
  await expect(wait(deps, request)).rejects.toThrow("enough");
});

test("so does one that is taken after a wait, and its input is withdrawn", async () => {
  const { deps, request, withdrawn } = setUp([busy, taken]);
  await expect(wait(deps, request)).rejects.toThrow("enough");
  expect(withdrawn).toEqual(["k"]);
});

test("the input of a started turn stays in the queue", async () => {
  const { deps, request, withdrawn } = setUp([busy, taken]);
  await expect(wait(deps, { ...request, isStarted: true })).rejects.toThrow("enough");
  expect(withdrawn).toEqual([]);
});
