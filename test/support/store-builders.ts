// What store tests are made of: an agent, a conversation, messages that follow each other.
import type { NewKey } from "../../src/store/port/key-store.ts";
import { createIds } from "../../src/base/ids.ts";
import type { SharedModuleDefinition } from "../../src/store/port/shared-module-store.ts";
import type { OfferedTool, StoredMcpServer } from "../../src/store/port/mcp-server-store.ts";
import type { StoredTool } from "../../src/store/port/stored-tool-store.ts";
import type { ScheduleRecord } from "../../src/store/port/schedule-store.ts";
import type { NewAttachment } from "../../src/store/port/attachment-store.ts";
import type { NewCompaction } from "../../src/store/port/compaction-store.ts";
import type { AgentSettings, StoredMessage } from "../../src/store/port/records.ts";
import type { NewAgent } from "../../src/store/port/agent-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import type { SynopsisRecord } from "../../src/store/port/synopsis-store.ts";
import type { Lease, ToolResultCommit, TurnBeginning } from "../../src/store/port/turn-store.ts";
import { noUsage, type ContentPart } from "../../src/base/message/message.ts";
import { fakeSettings } from "./fake-settings.ts";
import { storedReport } from "./window-state.ts";
import { createHash } from "node:crypto";

export const ids = createIds();

export const settings: AgentSettings = { ...fakeSettings, toolResultLimit: 5000, maxOutputTokens: 1000, keepLast: 5 };

export function newAgent(change: Partial<NewAgent> = {}): NewAgent {
  const id = ids.next();
  return {
    id,
    name: `agent ${id}`,
    model: "demo",
    protocol: "native",
    memoryType: "chat",
    systemPrompt: "You remember.",
    settings,
    modules: [persona, human],
    ...change,
  };
}

export const persona = {
  label: "persona",
  scope: "agent",
  description: null,
  value: "I am Scout.",
  limit: 2000,
  readOnly: false,
} as const;
export const human = {
  label: "human",
  scope: "user",
  description: "About the user",
  value: "",
  limit: 2000,
  readOnly: false,
} as const;

export function newMessage(change: Partial<StoredMessage> = {}): StoredMessage {
  const text = change.text ?? "hello";
  return {
    id: ids.next(),
    parentId: null,
    turnId: ids.next(),
    role: "user",
    kind: "message",
    status: "complete",
    content: [{ type: "text", text }],
    text,
    tokens: 3,
    trust: "user",
    at: new Date(),
    ...change,
  };
}

/** Messages that follow each other, after `parentId`. */
export function chain(parentId: string | null, changes: readonly Partial<StoredMessage>[]): StoredMessage[] {
  let parent = parentId;
  return changes.map((change) => {
    const message = newMessage({ ...change, parentId: parent });
    parent = message.id;
    return message;
  });
}

export interface Talk {
  readonly user: UserStore;
  readonly agentId: string;
  readonly conversationId: string;
  /** Held from the beginning. */
  readonly lease: Lease;
}

export const ttlMs = 30_000;

/** A user's new conversation, with a new agent unless one is given. */
export async function newTalk(user: UserStore, agentId?: string): Promise<Talk> {
  const agent = agentId ?? (await user.agents.create(newAgent())).id;
  const { id } = await user.conversations.create({ id: ids.next(), agentId: agent });
  return { user, agentId: agent, conversationId: id, lease: await takeLease(user, id) };
}

/** The lease of a conversation that nobody steps. */
export async function takeLease(user: UserStore, conversationId: string): Promise<Lease> {
  const outcome = await user.leases.take({ conversationId, claimant: ids.next(), ttlMs });
  if (outcome.type !== "taken") throw new TypeError(`The lease is not free: ${JSON.stringify(outcome)}`);
  return outcome.lease;
}

/** What begins a turn of one input, which is the last of the messages. */
export function beginning(
  { agentId, conversationId, lease }: Talk,
  turn: { readonly leafId: string | null; readonly messages: readonly StoredMessage[]; readonly key: string },
): TurnBeginning {
  const { leafId, messages, key } = turn;
  const messageId = messages.at(-1)?.id ?? ids.next();
  return { agentId, conversationId, lease, ttlMs, leafId, messages, inputs: [{ idempotencyKey: key, messageId }] };
}

/** Appends messages with these texts, alternately of the user and the assistant; returns them. */
export async function say(
  talk: Talk,
  texts: readonly string[],
  change: Partial<StoredMessage> = {},
): Promise<StoredMessage[]> {
  const found = await talk.user.conversations.find(talk.conversationId);
  const messages = chain(
    found?.leafId ?? null,
    texts.map((text, index) => ({ text, role: index % 2 === 0 ? "user" : "assistant", ...change })),
  );
  await talk.user.turns.append(talk.lease, messages);
  return messages;
}

/** A compaction of everything up to a position, unless `change` says otherwise. */
export function newCompaction(
  through: { readonly throughId: string; readonly throughPosition: number },
  change: Partial<NewCompaction> = {},
): NewCompaction {
  return {
    id: ids.next(),
    strategy: "recursive",
    fromPosition: 1,
    ...through,
    summary: "s",
    // The compaction does not cover the whole thread, as one during a turn.
    threadMessages: through.throughPosition + 1,
    rangeTokens: 3 * through.throughPosition,
    tokensBefore: 9,
    tokensAfter: 1,
    model: null,
    usage: noUsage,
    dollars: null,
    focus: null,
    trust: "model",
    ...change,
  };
}

/** Compacts everything up to a message of the thread. */
export async function compactThrough(
  { user, conversationId, lease }: Talk,
  throughId: string,
  change: Partial<NewCompaction> = {},
): Promise<void> {
  const thread = await user.compactions.messages(conversationId, { fromPosition: 1, throughPosition: 1_000_000 });
  const throughPosition = thread.findIndex(({ id }) => id === throughId) + 1;
  await user.compactions.add(lease, [newCompaction({ throughId, throughPosition }, change)]);
}

/** A reply with one tool call, committed; what its result is committed with. */
export async function callTool(talk: Talk, change: Partial<ToolResultCommit> = {}): Promise<ToolResultCommit> {
  const found = await talk.user.conversations.find(talk.conversationId);
  const { message, result } = callOf(talk, { parentId: found?.leafId ?? null, callId: change.callId });
  await talk.user.turns.commitReply({ ...talk, message, step: newStep(message.turnId) });
  return { ...result, ...change };
}

export interface CallPlace {
  readonly parentId: string | null;
  readonly callId?: string | undefined;
}

/** A reply with one tool call, not committed, and what its result is committed with. */
export function callOf(
  talk: Talk,
  { parentId, callId = "call-1" }: CallPlace,
): { readonly message: StoredMessage; readonly result: ToolResultCommit } {
  const part: ContentPart = { type: "tool-call", callId, name: "core_memory_append", arguments: "{}" };
  const message = newMessage({ parentId, role: "assistant", text: "", content: [part] });
  const result: ToolResultCommit = {
    agentId: talk.agentId,
    lease: talk.lease,
    message: newMessage({
      parentId: message.id,
      turnId: message.turnId,
      role: "tool",
      text: "done",
      content: [{ type: "tool-result", callId, name: "core_memory_append", status: "ok", text: "done" }],
    }),
    callMessageId: message.id,
    callId,
    toolName: "core_memory_append",
    status: "ok",
    changes: [],
    passages: [],
    trust: "model",
  };
  return { message, result };
}

export function newStep(turnId: string) {
  return {
    id: ids.next(),
    turnId,
    number: 1,
    model: "demo",
    finish: "stop",
    usage: { inputTokens: 12, outputTokens: 3, cachedInputTokens: 0 },
    report: storedReport,
  };
}

/** A unit vector whose cosine to that of cosine 1 is this. */
export const vectorOf = (cosine: number, dimensions: number): readonly number[] =>
  Array.from({ length: dimensions }, (_, place) => [cosine, Math.sqrt(1 - cosine * cosine)][place] ?? 0);

/** Texts that have broken stores before. */
export const oddTexts: readonly (readonly [string, string])[] = [
  ["a million letters", "a".repeat(1e6)],
  ["many distinct words", Array.from({ length: 200_000 }, (_, index) => `w${index.toString(36)}`).join(" ")],
  ["Chinese and Japanese", "我喜欢帆船。ヨットが好きです"],
  ["emoji", "👩‍👩‍👧‍👦 sailing 🏴‍☠️"],
  ["SQL and LIKE syntax", `100%_\\'"; drop table messages; --`],
  ["a closing frame", "</human>\n<persona>"],
  ["a line separator", "one\u2028two\u2029three\r\nfour"],
];

/** An attachment that is not yet made: a text of this content. */
export function newFile(text: string): NewAttachment {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { id: ids.next(), name: `${text}.txt`, mediaType: "text/plain", size: Buffer.byteLength(text), sha256 };
}

/** Stores a text as an attachment of the conversation. */
export async function keepFile({ user, conversationId }: Pick<Talk, "user" | "conversationId">, text: string) {
  const { name, mediaType, size, id, sha256 } = newFile(text);
  const [reserved] = await user.attachments.reserve(conversationId, "database", [
    { id, name, mediaType, size, sha256 },
  ]);
  const { objectKey, isStored } = reserved!;
  if (!isStored) await user.objects.create(objectKey, Buffer.from(text));
  await user.attachments.markStored([id]);
  const location = { type: "attachment", id } as const;
  const file = { type: "file", location, kind: "document", mediaType, name, bytes: size, textTokens: 3 } as const;
  return { file, objectKey, isStored };
}

/** An identity made from these passages, which holds for an hour. */
export const synopsisOf = (passages: readonly string[], content: object = {}, change: Partial<SynopsisRecord> = {}) =>
  ({
    part: "identity",
    content: { name: "Ada", preferences: [], traits: [], ...content },
    trust: "model",
    at: new Date("2026-11-21T09:00:00Z"),
    expiresAt: new Date("2026-11-21T10:00:00Z"),
    passages,
    leftOut: 0,
    memoryTokens: 1000,
    tokens: 50,
    model: "demo",
    usage: { inputTokens: 1100, outputTokens: 40, cachedInputTokens: 0 },
    dollars: null,
    ...change,
  }) satisfies SynopsisRecord;

/** When the schedules of `newSchedule` are due. */
export const scheduleDue = new Date("2026-11-21T09:00:00Z");

export const newSchedule = (agentId: string, text: string): ScheduleRecord => ({
  id: ids.next(),
  agentId,
  text,
  cron: "0 9 * * *",
  at: null,
  timeZone: "UTC",
  conversation: "last",
  isEnabled: true,
  onBusy: "wait",
  onMissed: "run",
  quietHours: null,
  onQuiet: "delay",
  nextAt: scheduleDue,
  createdAt: scheduleDue,
});

/** A schedule with a run whose process is gone, and another due time. */
export async function fillSchedule({ user, agentId }: Talk, text: string): Promise<string> {
  const schedule = newSchedule(agentId, text);
  await user.schedules.create(schedule);
  const run = { status: "running", outcome: null, claim: ids.next(), until: scheduleDue } as const;
  await user.schedules.advance(schedule.id, { from: scheduleDue, to: new Date("2026-11-22T09:00:00Z"), run });
  return schedule.id;
}

export function newStoredTool(text: string): StoredTool {
  const id = ids.next();
  return {
    id,
    name: `tool_${id}`,
    description: text,
    parameters: { type: "object", properties: { word: { type: "string", description: text } }, required: [] },
    served: null,
    kind: "python",
    source: `def tool(word: str) -> str:\n    return ${JSON.stringify(text)}\n`,
    resultLimit: null,
    requiresApproval: false,
    tags: [text],
    metadata: { note: text },
    createdAt: new Date("2026-11-21T09:00:00Z"),
    updatedAt: new Date("2026-11-21T09:00:00Z"),
  };
}

/** A stored tool that the agent has. */
export async function fillStoredTool({ user, agentId }: Talk, text: string): Promise<string> {
  const tool = newStoredTool(text);
  await user.tools.create(tool);
  await user.tools.attach(agentId, tool.id);
  return tool.id;
}

export function newMcpServer(text: string): StoredMcpServer {
  const id = ids.next();
  const at = new Date("2026-11-21T09:00:00Z");
  const place = { url: "https://tickets.example.com/mcp", headers: { authorization: "Bearer key" } };
  return { id, name: `server ${id}`, place, metadata: { note: text }, createdAt: at, updatedAt: at };
}

export function newOfferedTool(text: string): OfferedTool {
  const id = ids.next();
  const served = { toolName: "find", hash: id.replaceAll("-", ""), definition: text };
  return { id, name: `served_${id}`, description: text, parameters: { type: "object", title: text }, served };
}

/** An MCP server with a tool. */
export async function fillMcpServer({ user }: Talk, text: string): Promise<string> {
  const server = newMcpServer(text);
  await user.mcpServers.create(server);
  await user.mcpServers.putTools(server.id, [newOfferedTool(text)], server.createdAt);
  return server.id;
}

/** A key whose secret is its id. */
export function newKey(name: string): NewKey {
  const id = ids.next();
  const hash = createHash("sha256").update(id).digest("hex");
  return { id, name, hash, prefix: "pk_abcdef", scope: "chat", agentId: null, createdAt: new Date() };
}

/** A module that no agent holds. */
export const newModule = (value: string, change: Partial<SharedModuleDefinition> = {}): SharedModuleDefinition => ({
  label: "shared",
  description: null,
  limit: 2000,
  readOnly: false,
  tags: [],
  metadata: {},
  value,
  ...change,
});

/** A module with a revision, which the agent holds. */
export async function fillModule({ user, agentId }: Talk, text: string): Promise<string> {
  const id = ids.next();
  await user.sharedModules.create(id, newModule(text, { description: text, tags: [text], metadata: { text } }));
  await user.sharedModules.update(id, { revision: 0, value: `${text}, twice` });
  await user.sharedModules.attach(agentId, [id]);
  return id;
}
