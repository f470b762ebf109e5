// How many transactions a turn takes: the cost of a turn is mostly its round trips to the database.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { recordingCalls } from "../support/record-store-calls.ts";
import { openTestStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const opened = useScene(() => openTestStore());

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };
const appends = { name: "core_memory_append", arguments: { name: "human", content: "Likes tea." } };

/** Made while a turn lasts longer than a moment, as on a busy machine. */
const ofLongTurns = new Set(["leases.isStopped", "events.append"]);

test.each([
  ["text", [{ text: "Hello.", usage }], ["turns.begin", "turns.commitReply"]],
  [
    "a tool call",
    [
      { toolCalls: [appends], usage },
      { text: "Noted.", usage },
    ],
    ["turns.begin", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "two calls",
    [
      { toolCalls: [appends, appends], usage },
      { text: "Noted.", usage },
    ],
    ["turns.begin", "turns.commitReply", "turns.commitToolResult", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "a search, which may wait for an embedder",
    [
      { toolCalls: [{ name: "conversation_search", arguments: { query: "tea" } }], usage },
      { text: "Nothing.", usage },
    ],
    ["turns.begin", "turns.commitReply", "recall.search", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "an edit that needs approval",
    [{ toolCalls: [{ name: "archival_memory_insert", arguments: { content: "tea" } }], usage }],
    ["turns.begin", "turns.commitReply", "approvals.request", "leases.release"],
  ],
  ["a reply without usage", [{ text: "Hello." }], ["turns.begin", "turns.commitReply"]],
])("a turn with %s writes in as few transactions as it can", async (title, replies, expected) => {
  const calls: string[] = [];
  const model = createScriptedModel({ replies: [{ text: "Hi.", usage }, ...replies] });
  const options = { model: "scripted", models: [model], embedder: null };
  const runtime = await composeRuntime(options, { store: recordingCalls(opened.store, calls) });
  const settings = { approvals: ["archival_memory_insert"] };
  const agent = await runtime.agents.open(title, { create: { settings } });
  await drain(agent.send("first"));
  calls.length = 0;
  await drain(agent.send("second"));
  expect(calls.filter((call) => !ofLongTurns.has(call))).toEqual(expected);
  const other = await runtime.agents.open(title, { conversation: { id: agent.conversationId } });
  expect(other.unfinished).toBe(false);
  await runtime.close();
});

test("a turn of a user with a limit per day reads the day's usage once before each call, and nothing else", async () => {
  const calls: string[] = [];
  const replies = [
    { toolCalls: [appends], usage },
    { text: "Noted.", usage },
  ];
  const options = { userId: "limited", model: "scripted", models: [createScriptedModel({ replies })], embedder: null };
  const runtime = await composeRuntime(
    { ...options, maxDailyTokens: 1_000_000 },
    { store: recordingCalls(opened.store, calls) },
  );
  const agent = await runtime.agents.open("limited", { create: {} });
  calls.length = 0;
  await drain(agent.send("first"));
  expect(calls.filter((call) => call.startsWith("steps."))).toEqual(["steps.usageSince", "steps.usageSince"]);
  await runtime.close();
});
