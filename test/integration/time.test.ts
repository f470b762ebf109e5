// The time and the counts in requests: what a model can say about "yesterday" and "how long ago" from them, what it finds of
// other conversations, and what never changes.
import type { ModelRequest } from "../../src/model/llm/model.ts";
import type { ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { factsOf, stateOf } from "../support/state-text.ts";

const runtimes = useRuntimes();

const dayMs = 86_400_000;
const friday = Date.UTC(2026, 10, 20, 18, 40);

/** Answers from the letter of the request alone: the newest state entry, the times of messages, and results of searches. */
function literal(request: ModelRequest): ScriptedReply {
  const { messages } = request;
  const last = messages.at(-1)!;
  const found = last.content.find((part) => part.type === "tool-result")?.text;
  if (found !== undefined) return { text: `I found: ${found}` };
  const asked = textOf(last);
  const [, now = ""] = /^Now: \w{3} (\S+ \S+) /mu.exec(factsOf(request)) ?? [];
  if (asked.endsWith("What did I say yesterday?")) {
    const day = new Date(Date.parse(`${now.slice(0, 10)}T00:00Z`) - dayMs).toISOString().slice(0, 10);
    const call = { name: "conversation_search_date", arguments: { start_date: day, end_date: day } };
    return { toolCalls: [call] };
  }
  if (asked.endsWith("How long ago was that?")) {
    const said = messages.map(textOf).find((text) => text.includes("kettle")) ?? "";
    const [, at = ""] = /^\[\w{3} (\S+ \S+)\] /u.exec(said) ?? [];
    const hours = (Date.parse(`${now}Z`) - Date.parse(`${at}Z`)) / 3_600_000;
    return { text: `${hours} hours ago` };
  }
  return { text: "I see." };
}

test("a model that follows the request literally knows what was said yesterday, and how long ago", async () => {
  const clock = createManualClock(friday);
  const { agent } = await openScene(runtimes, literal, { clock });
  await drain(agent.send("The kettle is broken."));
  await clock.advance(dayMs + 3_600_000);
  await drain(agent.send("The cat is asleep."));
  expect((await lastOf(agent.send("What did I say yesterday?"))).text).toContain("The kettle is broken.");
  expect((await lastOf(agent.send("What did I say yesterday?"))).text).not.toContain("The cat is asleep.");
  expect((await lastOf(agent.send("How long ago was that?"))).text).toBe("25 hours ago");
});

/** Searches with the numbers and days that the newest state entry has, and only if it says that there is something to find. */
function literalSearcher(request: ModelRequest): ScriptedReply {
  const { messages } = request;
  const last = messages.at(-1)!;
  const found = last.content.find((part) => part.type === "tool-result")?.text;
  if (found !== undefined) return { text: `I found: ${found}` };
  const asked = textOf(last);
  if (!asked.endsWith("?")) return { text: "I see." };
  const [, count = "", first = "", end = first] =
    /^Out of view: (\S+) messages? ?(?:\((\S+?)(?: to (\S+))?\))?/mu.exec(factsOf(request)) ?? [];
  if (count === "no") return { text: "Nothing to search." };
  const [, topic] = /What did I say about the (\w+)\?$/u.exec(asked) ?? [];
  const call =
    topic === undefined
      ? { name: "conversation_search_date", arguments: { start_date: first, end_date: end } }
      : { name: "conversation_search", arguments: { query: topic } };
  return { text: `${count} messages, ${first} to ${end}.`, toolCalls: [call] };
}

test("a model that follows the request literally finds in a new conversation what was said in another", async () => {
  const clock = createManualClock(friday);
  const { agent, runtime, name } = await openScene(runtimes, literalSearcher, { clock });
  expect((await lastOf(agent.send("What did I say about the kettle?"))).text).toBe("Nothing to search.");
  await drain(agent.send("The kettle is broken."));
  await clock.advance(dayMs);
  await drain(agent.send("The cat is asleep."));
  await clock.advance(2 * dayMs);

  const other = await runtime.agents.open(name, { conversation: "new" });
  expect(other.conversationId).not.toBe(agent.conversationId);
  const byWords = (await lastOf(other.send("What did I say about the kettle?"))).text;
  expect(byWords).toContain("6 messages, 2026-11-20 to 2026-11-21.");
  expect(byWords).toMatch(/2026-11-20 18:40.*: The kettle is broken\./u);

  const third = await runtime.agents.open(name, { conversation: "new" });
  const byDays = (await lastOf(third.send("What did we talk about?"))).text;
  expect(byDays).toMatch(/2026-11-20 18:40.*: The kettle is broken\./u);
  expect(byDays).toMatch(/2026-11-21 18:40.*: The cat is asleep\./u);
});

test("the state has the time, its zone and the time since the last message, in each step of a turn", async () => {
  const clock = createManualClock(friday);
  const replies = [{ text: "Hi." }, { toolCalls: [{ name: "conversation_search", arguments: { query: "hi" } }] }];
  const options = { clock, timeZone: "Asia/Kolkata" };
  const { agent, model } = await openScene(runtimes, [...replies, { text: "So." }], options);
  await drain(agent.send("Hello."));
  await clock.advance(3 * dayMs);
  await drain(agent.send("Hello again."));
  const lines = model.requests.map((request) => factsOf(request).split("\n").slice(1, 3));
  const later = [
    "Now: Tue 2026-11-24 00:10 (Asia/Kolkata, UTC+05:30)",
    "Previous message: Sat 2026-11-21 00:10, 3 days ago",
  ];
  expect(lines).toEqual([
    [
      "Now: Sat 2026-11-21 00:10 (Asia/Kolkata, UTC+05:30)",
      "Previous message: none, this conversation is the first with the user",
    ],
    later,
    later,
  ]);
});

test("the time of a message is the user's only, and stays the same while time passes and the process's zone changes", async () => {
  const clock = createManualClock(friday);
  const { agent, model, runtime, name } = await openScene(runtimes, () => ({ text: "I see." }), { clock });
  for (const text of ["One.", "Two."]) {
    await drain(agent.send(text));
    await clock.advance(dayMs);
  }
  // The zone is the agent's, not that of the runtime that opens it.
  const elsewhere = await runtimes.open({
    model: "scripted",
    models: [model],
    timeZone: "Asia/Tokyo",
    clock,
    userId: runtime.userId,
  });
  const again = await elsewhere.agents.open(name);
  await drain(again.send("Three."));
  const [, two, three] = model.requests;
  expect(three?.messages.slice(0, two?.messages.length)).toEqual(two?.messages);
  expect(three?.system).toEqual(two?.system);
  expect(three?.messages.map(textOf)).toEqual([
    "[Fri 2026-11-20 18:40] One.",
    "I see.",
    "[Sat 2026-11-21 18:40] Two.",
    "I see.",
    "[Sun 2026-11-22 18:40] Three.",
  ]);
  expect(again.messages[0]?.text).toBe("One.");
});

test("in the heartbeat protocol the messages carry their times as before", async () => {
  const clock = createManualClock(friday);
  const reply = { toolCalls: [{ name: "send_message", arguments: { message: "Hi.", request_heartbeat: false } }] };
  const { model, name, runtime } = await openScene(runtimes, () => reply, { clock });
  const beating = await runtime.agents.open(`${name}-beating`, { create: { protocol: "heartbeat" } });
  await drain(beating.send("Hello."));
  const [request] = model.requests;
  expect(textOf(request!.messages.at(-1)!)).toBe(
    '{"type":"user_message","message":"Hello.","time":"2026-11-20 06:40:00 PM UTC+0000"}',
  );
  // The boot sequence is not a message of anybody.
  expect(stateOf(request)).toContain("Previous message: none, this conversation is the first with the user");
});
