// What must hold after several processes sent to the same conversations, read from the store by a new one.
import type { Agent } from "../../src/agent/agent.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";
import { toolCallsOf } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

export interface Sent {
  /** Keys of the inputs whose sender saw the end of their turn. */
  readonly done: ReadonlySet<string>;
  /** Those and the ones whose sender did not live to see it. */
  readonly sent: ReadonlySet<string>;
}

/** Everything that is violated in the conversations of one agent, a line each. */
export async function findRaces(runtime: Runtime, agents: readonly Agent[], sent: Sent): Promise<readonly string[]> {
  const threads = agents.map(({ messages }) => messages);
  const inputs = threads.flat().flatMap(keyOf);
  return [
    ...[...sent.done].filter((key) => !inputs.includes(key)).map((key) => `input ${key} is lost`),
    ...inputs.filter((key, at) => inputs.indexOf(key) !== at).map((key) => `input ${key} is there twice`),
    ...inputs.filter((key) => !sent.sent.has(key)).map((key) => `input ${key} was never sent`),
    ...threads.flatMap(orderOf),
    ...(await memoryOf(runtime, agents)),
  ];
}

/** Each sender's inputs in its order, each step whole, and an answer at the end. */
function orderOf(messages: readonly StoredMessage[]): readonly string[] {
  const end = messages.at(-1);
  return [
    ...senderOrder(messages.flatMap(keyOf)),
    ...messages.flatMap((message, at) => stepOrder(message, at, messages)),
    ...(end === undefined || end.text === "done" ? [] : [`the conversation ends in ${end.role} "${end.text}"`]),
  ];
}

function senderOrder(keys: readonly string[]): readonly string[] {
  const last = new Map<string, number>();
  return keys.flatMap((key) => {
    const [sender = "", number = ""] = key.split(".");
    const before = last.get(sender) ?? -1;
    last.set(sender, Number(number));
    return Number(number) > before ? [] : [`input ${key} came after ${sender}.${before}`];
  });
}

function stepOrder(message: StoredMessage, at: number, messages: readonly StoredMessage[]): readonly string[] {
  const before = messages[at - 1];
  const calls = toolCallsOf(message).map(({ callId }) => callId);
  const results = messages.slice(at + 1, at + 1 + calls.length).flatMap(resultsOf);
  return [
    ...(message.parentId === (before?.id ?? null) ? [] : [`message ${at} does not follow the one before it`]),
    ...(calls.join() === results.join()
      ? []
      : [`message ${at}: the calls ${calls.join()} have the results ${results.join()}`]),
    ...(calls.length === 0 || before?.role === "user" ? [] : [`message ${at} calls tools without an input before it`]),
  ];
}

/** Core memory and archive of the agent, which all of its conversations share. */
async function memoryOf(runtime: Runtime, agents: readonly Agent[]): Promise<readonly string[]> {
  const [first] = agents as readonly [Agent];
  const { name } = first.record;
  const results = agents
    .flatMap(({ messages }) => messages.flatMap(({ content }) => content))
    .filter((part) => part.type === "tool-result");
  const count = (tool: string): number => results.filter((part) => part.name === tool && part.status === "ok").length;
  const revisions = [...(await runtime.memory.revisions(name, { label: "human", limit: 1_000_000 }))].reverse();
  const value = (await runtime.memory.show(name)).find(({ label }) => label === "human")?.value ?? "";
  const archived = await runtime.archival.count(name);
  const expected = revisions.map((_, at) => String(at + 1));
  return [
    ...(Number(value || "0") === count("increment")
      ? []
      : [`${count("increment")} increments were done, the memory says ${value}`]),
    ...(revisions.map(({ after }) => after).join() === expected.join() ? [] : ["the revisions are no chain"]),
    ...(archived === count("archival_memory_insert")
      ? []
      : [`${count("archival_memory_insert")} inserts were done, ${archived} passages are there`]),
  ];
}

function keyOf({ role, text }: StoredMessage): readonly string[] {
  return role === "user" ? [text.replace("input ", "")] : [];
}

function resultsOf({ content }: StoredMessage): readonly string[] {
  return content.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
}
