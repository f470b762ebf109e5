// Chains of messages between agents on the page: their order, the addresses that lead to them, and the state of each message.
import {
  type AgentMessage,
  chainsOf,
  isOfChain,
  sentMessageOf,
  stateOf,
  writesToAgent,
} from "../../../src/surfaces/inspector/exchanges/message-chain.ts";
import { messageTools } from "../../../src/config/settings.ts";

let ids = 0;

function sent(chainId: string, more: Partial<AgentMessage> = {}): AgentMessage {
  ids += 1;
  return {
    id: `m${ids}`,
    agentId: "a",
    conversationId: "c",
    toAgentId: "b",
    toConversationId: null,
    turnId: null,
    chainId,
    hop: 1,
    budget: 31,
    path: ["a"],
    answers: null,
    waits: false,
    text: "Hi",
    trust: "model",
    status: "ended",
    outcome: "end-turn",
    createdAt: `2026-01-01T00:00:0${ids}.000Z`,
    endedAt: null,
    from: "ada",
    to: "bob",
    ...more,
  };
}

test("messages become chains, the one with the newest message first, each oldest first", () => {
  const [one, two, three] = [sent("x"), sent("y"), sent("x", { turnId: "t" })];
  const chains = chainsOf([three, two, one]);
  expect(chains).toEqual([
    { id: "x", messages: [one, three] },
    { id: "y", messages: [two] },
  ]);
  const named = ["x", one.id, "t", "y", two.id, "none"].filter((id) => isOfChain(chains[0]!, id));
  expect(named).toEqual(["x", one.id, "t"]);
});

test.each([
  [{ status: "queued", outcome: null }, "waiting", false, true],
  [{ status: "delivered", outcome: null }, "read, in a turn", false, true],
  [{ outcome: "answered" }, "answered", false, false],
  [{ outcome: "answered", answers: "m0" }, "received", false, false],
  [{ outcome: "superseded" }, "ended: superseded", false, false],
  [{ outcome: "end-turn" }, "ended: end-turn", false, false],
  [{ outcome: "agent_not_found" }, "ended: agent_not_found", true, false],
  [{ status: "delivered", outcome: "model-error" }, "ended: model-error", true, true],
  [{ outcome: "refused-cycle" }, "refused: the agents would wait for each other", true, false],
  [{ outcome: "refused-later" }, "refused: later", true, false],
] as const)("%j is %s", (more, text, isBad, isOpen) => {
  const message = sent("x", more as Partial<AgentMessage>);
  expect(stateOf(message, [message])).toEqual({ text, isBad, isOpen });
});

test("a message with an answer is answered, however its turn ended", () => {
  const asked = sent("x", { outcome: "end-turn" });
  expect(stateOf(asked, [asked, sent("x", { answers: asked.id })]).text).toBe("answered");
});

test("the calls and the inputs that belong to a chain are known", () => {
  expect(messageTools.map((name) => writesToAgent({ name }))).toEqual(messageTools.map(() => true));
  expect(["archival_insert", "toString"].map((name) => writesToAgent({ name }))).toEqual([false, false]);
  expect([null, "of a client", "agent-message m1"].map((key) => sentMessageOf({ idempotencyKey: key }))).toEqual([
    null,
    null,
    "m1",
  ]);
});
