// Delivers messages between agents: runs turns that answer messages, and gives the answers to the tool calls that wait.
// Invariant: the next work for a message depends on stored data only, so any process can do it. The idempotency key of
// a message lets it become an input only once; a call gets one result. One turn answers all messages that wait for a
// conversation.
import type { ReceivedResult } from "../../agent/approval/answer-calls.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { createLeasedWork } from "../../agent/lease/leased-work.ts";
import { openReadTurn, openRepliedTurn } from "../../agent/opening/open-turn.ts";
import { every } from "../../base/clock.ts";
import { LimitError, RequestError } from "../../base/errors.ts";
import { lowestTrust, toolCallsOf } from "../../base/message/message.ts";
import { messageOf, systemErrorCode } from "../../base/thrown-values.ts";
import type { AgentMessageRecord, OpenAgentMessage } from "../../store/port/agent-message-store.ts";
import type { InputMessage } from "../../store/port/turn-store.ts";
import { depsOfAgent } from "../operations/opening/open-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { answerOf, shownMessage } from "./message-texts.ts";

/** Milliseconds between two checks of the messages that wait for a person or for another process. */
const pollMs = 2000;

/** The next work for a message. `run` returns whether it changed something: then there may be more work. */
interface Work {
  /** In one process, work items with the same key never run at the same time. */
  readonly key: string;
  /** Whether the work gives a waiting call its result. */
  readonly givesResult: boolean;
  run(deps: OperationDeps): Promise<boolean>;
}

export function createMessageDelivery(depsOf: () => OperationDeps): OperationDeps["messages"] {
  const working = new Set<string>();
  /** For work that failed the last time: its key, and the code or message of its error. */
  const failed = new Map<string, string>();
  let stopPolling: (() => Promise<void>) | null = null;
  const wake = (): void => depsOf().background.run("Delivering messages between agents", deliver);

  async function deliver(): Promise<void> {
    const open = await depsOf().store.agentMessages.open();
    poll(open.length > 0);
    if (open.length === 0) failed.clear();
    // If several items of work have one key, only the first is begun.
    const begun = worksOf(open).filter(({ key }) => !working.has(key) && working.add(key));
    await Promise.all(begun.map(follow));
  }

  async function follow({ key, run }: Work): Promise<void> {
    const deps = depsOf();
    let goesOn = false;
    try {
      goesOn = await run(deps);
      failed.delete(key);
    } catch (error) {
      if (!isExpected(error)) logOnce(deps, key, error);
    } finally {
      working.delete(key);
    }
    if (goesOn) await deliver();
  }

  /** Logs an error, unless the same work failed with the same error the last time. */
  function logOnce({ log }: Pick<OperationDeps, "log">, key: string, error: unknown): void {
    const failure = systemErrorCode(error) ?? messageOf(error);
    if (failed.get(key) === failure) return;
    failed.set(key, failure);
    log(`A message between agents was not delivered and will be tried again: ${messageOf(error)}`);
  }

  function poll(isNeeded: boolean): void {
    if (isNeeded && stopPolling === null) {
      const stop = every(pollMs, async () => wake());
      stopPolling = depsOf().background.atClose(async () => stop());
    } else if (!isNeeded && stopPolling !== null) {
      void stopPolling();
      stopPolling = null;
    }
  }

  return { wake };
}

function worksOf(open: readonly OpenAgentMessage[]): readonly Work[] {
  const works = open.flatMap((message) => {
    // An answer to a call that waits becomes the result of the call, and is not delivered as a message.
    const isAwaited = open.some(({ id, waits }) => waits && id === message.answers);
    return isAwaited ? [] : (workOf(message, ofSameCall(open, message)) ?? []);
  });
  // Work that gives a waiting call its result comes first: until the call has it, the conversation refuses other work.
  return works.toSorted((one, other) => Number(other.givesResult) - Number(one.givesResult));
}

function ofSameCall(open: readonly OpenAgentMessage[], message: OpenAgentMessage): readonly OpenAgentMessage[] {
  return open.filter(({ callMessageId: of, callId }) => of === message.callMessageId && callId === message.callId);
}

/** Returns the next work for a message; null if there is none. `ofCall`: all open messages of the same tool call. */
function workOf(message: OpenAgentMessage, ofCall: readonly OpenAgentMessage[]): Work | null {
  const { waits, call, conversationId: key } = message;
  if (waits && (call === "answered" || call === "superseded")) return ending(message, call);
  if (!waits || !isDecided(message)) return turnWorkOf(message);
  return call === "waiting" && ofCall.every(isDecided)
    ? { key, givesResult: true, run: (deps) => giveResult(deps, message) }
    : null;
}

function isDecided({ answer, outcome }: OpenAgentMessage): boolean {
  return answer !== null || outcome !== null;
}

function turnWorkOf(message: OpenAgentMessage): Work | null {
  const { id, turn, answer, toAgentId, toConversationId } = message;
  const key = toConversationId ?? toAgentId;
  switch (turn) {
    case null:
      return work(key, (deps) => deliverTo(deps, message));
    case "over":
      return answer === null ? work(id, (deps) => endTurnOf(deps, message)) : ending(message, "answered");
    case "lost":
      return work(key, (deps) => goOn(deps, message));
    case "blocked":
    case "running":
    case "waiting":
      return null;
  }
}

function work(key: string, run: Work["run"]): Work {
  return { key, givesResult: false, run };
}

function ending({ id }: OpenAgentMessage, outcome: string): Work {
  return work(id, async ({ store }) => {
    await store.agentMessages.end(id, outcome);
    return true;
  });
}

/** Records how the turn of a message ended. If a tool call waits for an answer, the text of the turn is the answer. */
async function endTurnOf({ store, ids }: OperationDeps, message: OpenAgentMessage): Promise<boolean> {
  const { id, waits, stopReason } = message;
  if (!waits || !(await store.agentMessages.answerWithTurn(message, ids.next())))
    await store.agentMessages.end(id, stopReason ?? "interrupted", !waits);
  return true;
}

/** Runs a turn for all messages that wait for the agent in this conversation. */
async function deliverTo(deps: OperationDeps, message: OpenAgentMessage): Promise<boolean> {
  const { toAgentId, toConversationId } = message;
  const { agentMessages } = deps.store;
  try {
    const conversation = toConversationId === null ? "last" : { id: toConversationId };
    const open = await depsOfAgent(deps, toAgentId, { conversation });
    const tools = open.tools.of(open.session.memory).map(({ name }) => name);
    const read = async (): Promise<readonly InputMessage[]> => {
      const queued = await agentMessages.queued(open.agent.id, open.conversationId);
      return queued.map((one) => inputOf(one, tools));
    };
    await runTurn(
      createLeasedWork(open).turnOf({ waitMs: Infinity }, (of, request) => openReadTurn(of, request, read)),
    );
  } catch (error) {
    const code = finalCode(error);
    if (code === null) throw error;
    const left = (await agentMessages.open()).filter((one) => one.turn === null && one.toAgentId === toAgentId);
    const ended = ofAgent.has(code) ? left : left.filter((one) => one.toConversationId === toConversationId);
    for (const { id, waits } of ended) await agentMessages.end(id, code, !waits);
  }
  return true;
}

function inputOf(message: AgentMessageRecord, tools: readonly string[]): InputMessage {
  return {
    idempotencyKey: `agent-message ${message.id}`,
    role: "system",
    speaker: message.from,
    trust: message.trust,
    content: [{ type: "text", text: shownMessage(message, tools) }],
  };
}

/** Gives a waiting call its result (for each of its messages the answer or the failure), and continues the turn. */
async function giveResult(deps: OperationDeps, message: OpenAgentMessage): Promise<boolean> {
  const { agentId, conversationId, callMessageId, callId } = message;
  const { agentMessages, unfinishedTurns } = deps.store;
  const ofCall = async () => ofSameCall(await agentMessages.open(), message);
  try {
    const open = await depsOfAgent(deps, agentId, { conversation: { id: conversationId } });
    const reply = open.session.messages.find((one) => one.id === callMessageId);
    const turnId = reply?.turnId ?? "";
    const { name = "" } = (reply && toolCallsOf(reply).find((call) => call.callId === callId)) ?? {};
    // A forgetting may change the answers while this process waits for the lease, so they are read after the wait.
    const read = async () => resultOf(name, await ofCall());
    const asked = await unfinishedTurns.find(turnId);
    const options = { ...asked?.terms.options, waitMs: Infinity };
    await runTurn(createLeasedWork(open).turnOf(options, (of, request) => openRepliedTurn(of, request, read)));
  } catch (error) {
    const code = finalCode(error);
    if (code === null) throw error;
    for (const { id } of await ofCall()) await agentMessages.end(id, code);
  }
  return true;
}

/** Returns the result of a call of `tool` for its `messages`; null while one of them has neither an answer nor a failure. */
function resultOf(tool: string, messages: readonly OpenAgentMessage[]): ReceivedResult | null {
  if (messages.length === 0 || !messages.every(isDecided)) return null;
  const answers = messages.flatMap(({ answer }) => answer?.trust ?? []);
  const trust = answers.length === 0 ? {} : { trust: lowestTrust(answers) };
  return { callId: messages[0]!.callId ?? "", ...answerOf(tool, messages), ...trust };
}

/** Continues a turn that answers a message, after the process of the turn has ended. */
async function goOn(deps: OperationDeps, message: OpenAgentMessage): Promise<boolean> {
  const { id, waits, toAgentId, toConversationId, turnId } = message;
  try {
    const open = await depsOfAgent(deps, toAgentId, { conversation: { id: toConversationId ?? "" } });
    await runTurn(createAgent(open, null).resume({ turnId: turnId ?? "", waitMs: 0 }));
  } catch (error) {
    if (error instanceof RequestError && error.code === "nothing_to_resume") return endTurnOf(deps, message);
    const code = finalCode(error);
    if (code === null) throw error;
    await deps.store.agentMessages.end(id, code, !waits);
  }
  return true;
}

async function runTurn(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

const expected: ReadonlySet<string> = new Set([
  "agent_busy",
  "approval_pending",
  "input_taken_over",
  "lease_lost",
  "nothing_to_resume",
  "result_not_awaited",
  "runtime_closing",
]);

/** Returns whether an error is expected when several processes or turns work at once. Such errors are not logged. */
function isExpected(error: unknown): boolean {
  if (error instanceof LimitError) return error.limit === "concurrent-turns";
  return error instanceof RequestError && expected.has(error.code);
}

/** Codes of errors that every later attempt would meet again, in any process. */
const final: ReadonlySet<string> = new Set([
  "agent_not_found",
  "conversation_not_found",
  "grant_ended",
  "input_invalid",
  "input_repeated",
  "message_not_found",
  "turn_abandoned",
]);

/** The codes in `final` that concern all conversations of an agent. */
const ofAgent: ReadonlySet<string> = new Set(["agent_not_found", "grant_ended"]);

/**
 * Returns the code of an error that ends the delivery of a message; null for any other error, after which the message is
 * delivered later: by another process, or once a limit allows it.
 */
function finalCode(error: unknown): string | null {
  return error instanceof RequestError && final.has(error.code) ? error.code : null;
}
