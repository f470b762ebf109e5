// Starts or continues a turn from a request of a chat: sends or replaces a message, regenerates an answer, or decides
// about calls.
// Invariant: a repeated request returns the first request's turn; a refused request does not change the conversation.
import { randomUUID } from "node:crypto";
import { valueOn } from "../../../base/thrown-values.ts";
import type { Agent } from "../../../agent/agent.ts";
import type { AgentEvent } from "../../../agent/events.ts";
import type { SentMessage, TurnEvents, TurnOptions } from "../../../agent/turn-options.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { FileInput, FileLocation } from "../../../base/message/file-part.ts";
import { clientIdOf, editedKey } from "../../stream/ai-sdk/ui-message.ts";
import type { UiCallOptions } from "../../stream/ai-sdk/encode-calls.ts";
import { type CallDecisions, decideCalls, joinAfterPause } from "../decide-calls.ts";
import { Fault } from "../fault.ts";
import { type OpenedEvents, openIn, type TurnPlace } from "../follow-turn.ts";
import { counting, eventsIfStored, goOn, replayTurn } from "../replay-turn.ts";
import type { ChatInput } from "./chat-request.ts";

export interface OpenedChat extends OpenedEvents {
  /** What the client already knows about the turn's calls. */
  readonly known: UiCallOptions;
}

/**
 * Returns the events of the turn. Throws RequestError, and Fault `approval_not_found` if none of the decided calls waits or
 * has waited.
 */
export async function startChat(runtime: UserRuntime, place: TurnPlace, input: ChatInput): Promise<OpenedChat> {
  const { clientTools, message, messageId } = input;
  const chat = { runtime, place, agent: await openIn(runtime, place) };
  const options = clientTools.length === 0 ? {} : { clientTools };
  const waiting = waitingDecisions(chat.agent, input);
  if (waiting.verdicts.length + waiting.results.length > 0) {
    const { earlier, last } = await decideCalls(chat.agent, waiting, options);
    if (message === null) return { events: joined(earlier, last()), known: knownOf(waiting) };
    // The request also has a message, which starts another turn: waits until the turn of the calls has ended.
    for await (const _event of last());
  }
  if (message === null || messageId === null) return joinDecided(chat, input);
  return { events: await answered(chat, { ...input, message, messageId }, options), known: {} };
}

interface OpenPlace {
  readonly runtime: UserRuntime;
  readonly place: TurnPlace;
  readonly agent: Agent;
}

/** Returns the decisions about calls that still wait, because clients repeat earlier decisions. */
function waitingDecisions(
  { pendingApprovals, pendingResults }: Agent,
  { verdicts, results }: CallDecisions,
): CallDecisions {
  return {
    verdicts: verdicts.filter(({ callId }) => pendingApprovals.some((call) => call.callId === callId)),
    results: results.filter(({ callId }) => pendingResults.some((call) => call.callId === callId)),
  };
}

function knownOf({ verdicts, results }: CallDecisions): UiCallOptions {
  return {
    shownCalls: verdicts.map(({ callId }) => callId),
    deniedCalls: verdicts.filter(({ approve }) => !approve).map(({ callId }) => callId),
    answeredCalls: results.map(({ callId }) => callId),
  };
}

/** Yields `earlier`, then `rest`. A promise of events would resolve only at the end, because events are thenable. */
async function* joined(earlier: readonly AgentEvent[], rest: TurnEvents): AsyncGenerator<AgentEvent, void> {
  yield* earlier;
  yield* rest;
}

/** Returns the events after a turn's pause for these calls. Throws Fault `approval_not_found` if there was no pause. */
async function joinDecided({ runtime, ...open }: OpenPlace, input: ChatInput): Promise<OpenedChat> {
  const calls = [...input.verdicts, ...input.results].map(({ callId }) => callId);
  const joined = await joinAfterPause(runtime, open, calls);
  if (joined !== null) return { ...joined, known: knownOf(input) };
  const text = "None of these calls waits for a decision or a result in this conversation. Nothing was decided.";
  throw new Fault(409, "approval_not_found", text);
}

async function answered(
  chat: OpenPlace,
  { message, messageId, manner }: ChatInput & { readonly message: SentMessage; readonly messageId: string },
  options: TurnOptions,
): Promise<AsyncGenerator<AgentEvent, void>> {
  const { runtime, place, agent } = chat;
  const turn = await runtime.turns.findByKey(place.conversationId, messageId);
  const sent = manner === "send" ? null : await findSent(runtime, place.conversationId, messageId);
  if (sent !== null) {
    if (manner === "regenerate") return joined([], agent.regenerate(sent.id, options));
    if (!(await hasContent(chat, sent, message))) {
      const idempotencyKey = editedKey(messageId, randomUUID().slice(0, 8));
      const edited = { ...(await withStoredFiles(chat, message)), idempotencyKey };
      return joined([], agent.send({ messages: [edited] }, { ...options, afterMessage: sent.parentId }));
    }
  }
  const turnId = sent?.turnId ?? turn?.id;
  if (turnId !== undefined) return rejoined(chat, turnId, options);
  const whole = { ...(await withStoredFiles(chat, message)), idempotencyKey: messageId };
  return joined([], agent.send({ messages: [whole] }, options));
}

/** Reads the turn of a message that was sent before; resumes the turn if it failed or was interrupted. */
async function rejoined(
  { runtime, place, agent }: OpenPlace,
  id: string,
  options: TurnOptions,
): Promise<AsyncGenerator<AgentEvent, void>> {
  const { state, stopReason } = await runtime.turns.find(id);
  // An unfinished turn has no stop reason; `replayTurn` continues it.
  const hasFailed = stopReason !== null && (state === "failed" || state === "interrupted");
  if (!hasFailed || !agent.unfinished || agent.messages.at(-1)?.turnId !== id)
    return replayTurn(runtime, { id, ...place });
  return counting(goOn(runtime, await eventsIfStored(agent, id), agent.resume(options)));
}

type SentBefore = Awaited<ReturnType<UserRuntime["conversations"]["messages"]>>["messages"][number];

const pageSize = 100;

/** Returns the thread's newest message that the client sent or edited under this id; null if there is none. */
async function findSent(
  { conversations }: UserRuntime,
  conversationId: string,
  messageId: string,
): Promise<SentBefore | null> {
  let before = {};
  for (;;) {
    const page = await conversations.messages(conversationId, { ...before, limit: pageSize });
    const found = page.messages.findLast((one) => {
      return one.role === "user" && [one.idempotencyKey, one.id, clientIdOf(one)].includes(messageId);
    });
    if (found !== undefined) return found;
    const [first] = page.messages;
    if (!page.hasOlder || first === undefined) return null;
    before = { before: first.id };
  }
}

async function hasContent(
  chat: OpenPlace,
  { content }: SentBefore,
  { text, files = [] }: SentMessage,
): Promise<boolean> {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const stored = content.flatMap((part) => (part.type === "file" ? [part.location] : []));
  if (texts.join("\n") !== text || stored.length !== files.length) return false;
  const are = files.map((file, at) => isStored(chat, file, stored[at]!));
  return (await Promise.all(are)).every(Boolean);
}

/** Returns whether a sent file is the stored file. A page that was loaded again sends the address of a stored file. */
async function isStored({ runtime, place }: OpenPlace, file: FileInput, stored: FileLocation): Promise<boolean> {
  if ("url" in file) return stored.type === "url" ? stored.url === file.url : idAt(file.url) === stored.id;
  if (!("data" in file) || stored.type === "url") return false;
  return Buffer.from(file.data).equals((await runtime.conversations.file(place.conversationId, stored.id)).data);
}

/** Replaces addresses of stored files by their content. Leaves out files that are missing, for example in a fork. */
async function withStoredFiles({ runtime, place }: OpenPlace, message: SentMessage): Promise<SentMessage> {
  if (message.files === undefined) return message;
  const files = message.files.map(async (file) => {
    const id = "url" in file ? idAt(file.url) : null;
    if (id === null) return [file];
    const missing = valueOn("attachment_not_found", null);
    const found = await runtime.conversations.file(place.conversationId, id).catch(missing);
    return found === null ? [] : [{ data: found.data, name: file.name ?? found.name, mediaType: found.mediaType }];
  });
  return { ...message, files: (await Promise.all(files)).flat() };
}

/** Returns the path of a stored file at this server. */
export function addressOf(chat: { readonly id: string; readonly agentId: string }, fileId: string): string {
  return `/api/agents/${chat.agentId}/conversations/${chat.id}/files/${fileId}`;
}

/** Returns the id in the address of a stored file; null for other URLs. */
function idAt(url: string): string | null {
  return /^(?:https?:\/\/[^/]+)?\/api\/agents\/[^/]+\/conversations\/[^/]+\/files\/([^/?#]+)$/u.exec(url)?.[1] ?? null;
}
