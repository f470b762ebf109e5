// What must hold after any kill, read from the store by a new process.
import type { Agent } from "../../src/agent/agent.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { readNodeBytes } from "../../src/memory/node/node-format.ts";
import { filesOf, toolCallsOf } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import type { StoreOptions } from "../../src/store/open-store.ts";

/** What the processes before reported of themselves. */
export interface Expectation {
  /** Inputs whose commit they saw. */
  readonly acknowledged: readonly number[];
  /** Turns whose commit to the node memory they saw. */
  readonly kept: readonly number[];
  readonly connection: StoreOptions["connection"];
}

export const nodeApp = "crash";

/** The content of the file that is sent with a turn. */
export const fileText = (number: number): string => `file of turn ${number}\n`.repeat(20);

/** The number of an input; its text has a line for its file, too. */
export const turnOf = ({ text }: { readonly text: string }): number => Number(/^turn (\d+)\b/u.exec(text)?.[1]);

interface Scene {
  readonly agent: Agent;
  readonly user: UserStore;
}

/** Everything that is violated, a line each. To be asked once nothing is left undone. */
export async function findViolations(
  runtime: Runtime,
  { agent, user }: Scene,
  { acknowledged, kept, connection }: Expectation,
): Promise<readonly string[]> {
  const everyPosition = { fromPosition: 1, throughPosition: 2_000_000_000 };
  const messages = await user.compactions.messages(agent.conversationId, everyPosition);
  const inputs = messages.filter(({ role }) => role === "user").map(turnOf);
  return [
    ...numberViolations("input", inputs, acknowledged),
    ...(inputs.some((input, at) => at > 0 && input <= (inputs[at - 1] ?? 0)) ? ["the inputs are out of order"] : []),
    ...(await callViolations(runtime, agent, messages)),
    ...(await windowViolations({ agent, user }, messages)),
    ...(await fileViolations(user, messages)),
    ...(await nodeViolations(user, agent.record.name, kept)),
    ...(await databaseViolations(connection)),
  ];
}

const numberViolations = (what: string, found: readonly number[], promised: readonly number[]): readonly string[] => [
  ...promised.filter((one) => !found.includes(one)).map((one) => `${what} ${one} was acknowledged and is lost`),
  ...found.filter((one, at) => found.indexOf(one) !== at).map((one) => `${what} ${one} is there twice`),
];

async function callViolations(
  runtime: Runtime,
  agent: Agent,
  messages: readonly StoredMessage[],
): Promise<readonly string[]> {
  const { name } = agent.record;
  const calls = messages.flatMap((message) => toolCallsOf(message));
  const increments = calls.filter((call) => call.name === "increment").length;
  const inserts = calls.filter((call) => call.name === "archival_memory_insert").length;
  const results = messages.filter(({ role }) => role === "tool").length;
  const value = Number(agent.memory.read("human") || "0");
  const revisions = [...(await runtime.memory.revisions(name, { label: "human", limit: 100_000 }))].reverse();
  const archived = await runtime.archival.count(name);
  return [
    ...(value === increments ? [] : [`${increments} increments were asked for, the memory says ${value}`]),
    ...(results === calls.length ? [] : [`${calls.length} calls have ${results} results`]),
    ...(archived === inserts ? [] : [`${inserts} inserts were asked for, ${archived} passages are there`]),
    ...brokenChain(revisions.map(({ before, after }) => [before, after])),
    ...(revisions.at(-1)?.after === agent.memory.read("human") || revisions.length === 0
      ? []
      : ["memory is not the last revision"]),
  ];
}

const brokenChain = (changes: readonly (readonly [before: string, after: string])[]): readonly string[] =>
  changes.flatMap(([before], at) => {
    const expected = changes[at - 1]?.[1] ?? "";
    return before === expected
      ? []
      : [`revision ${at + 1} begins with "${before}", the one before it ends with "${expected}"`];
  });

/** Every message is in the window or in exactly one range that a compaction of the window stands for. */
async function windowViolations(
  { agent, user }: Scene,
  messages: readonly StoredMessage[],
): Promise<readonly string[]> {
  const thread = await user.conversations.thread(agent.conversationId);
  let through = 0;
  const violations: string[] = [];
  for (const { fromPosition, throughPosition, throughId, summary } of thread.compactions) {
    if (fromPosition !== through + 1)
      violations.push(`a compaction begins at ${fromPosition}, the one before it ends at ${through}`);
    if (messages[throughPosition - 1]?.id !== throughId)
      violations.push(`a compaction ends at no message of the thread`);
    if (summary === "") violations.push("a compaction has no summary");
    through = throughPosition;
  }
  const inWindow = thread.messages.map(({ id }) => id).join();
  const after = messages.slice(through).map(({ id }) => id);
  if (inWindow !== after.join())
    violations.push(`${thread.messages.length} messages are in the window, ${after.length} are after the compactions`);
  return violations;
}

// Those of earlier turns were looked at by the processes before.
const filesToRead = 10;

async function fileViolations(user: UserStore, messages: readonly StoredMessage[]): Promise<readonly string[]> {
  const violations: string[] = [];
  const asked = messages.filter(({ role }) => role === "user");
  for (const message of asked) {
    if (filesOf(message).length !== 1) violations.push(`turn ${turnOf(message)} has ${filesOf(message).length} files`);
  }
  for (const message of asked.slice(-filesToRead)) {
    const location = filesOf(message)[0]?.location;
    const object = location?.type === "attachment" ? await user.attachments.objectOf(location.id) : null;
    const content = object === null ? null : await user.objects.get(object.objectKey);
    const expected = fileText(turnOf(message));
    if (content === null || Buffer.from(content).toString("utf8") !== expected)
      violations.push(`the file of turn ${turnOf(message)} ${content === null ? "is missing" : "has another content"}`);
  }
  return violations;
}

async function nodeViolations(
  user: UserStore,
  conversation: string,
  kept: readonly number[],
): Promise<readonly string[]> {
  const record = await user.nodeMemories.find({ app: nodeApp, conversation, node: "node" });
  if (record === null) return kept.length === 0 ? [] : ["the node memory is lost"];
  const bytes = await user.objects.get(record.objectKey);
  if (bytes === null) return ["the object of the node memory is missing"];
  const messages = await readNodeBytes(bytes, record.objectKey);
  const numbers = (before: string): readonly number[] =>
    messages.flatMap(({ content }) => (content.startsWith(before) ? [Number(content.slice(before.length))] : []));
  const [asks, answers] = [numbers("ask "), numbers("answer ")];
  const half = asks.filter((ask) => !answers.includes(ask)).map((ask) => `node turn ${ask} has no answer`);
  return [
    ...numberViolations("node turn", asks, kept),
    ...numberViolations("node answer", answers, kept),
    ...half,
    ...(record.messages === messages.length ? [] : ["the node memory's row and its object have other counts"]),
    ...(record.bytes === bytes.length ? [] : ["the node memory's row and its object have other sizes"]),
  ];
}

/** As the owner of the tables: over all rows and objects that there are. */
async function databaseViolations(connection: StoreOptions["connection"]): Promise<readonly string[]> {
  const inspected = await createStoreInspector({ connection }).open();
  try {
    const orphans = (await inspected.orphans()) ?? [];
    const faults = await inspected.objectFaults();
    return [
      ...orphans.map(({ table, columns, rows }) => `${rows} rows of ${table} name a missing ${columns}`),
      ...(faults?.missing === 0 ? [] : [`${faults?.missing} objects are missing or incomplete`]),
      ...(faults?.unreferenced === 0 ? [] : [`${faults?.unreferenced} objects are referenced by no row`]),
    ];
  } finally {
    await inspected.close();
  }
}
