// Runs the tool calls of one reply, in order, each on a working copy of memory that is committed with its result.
// Invariant: no transaction is open while a tool runs; a call's result and its memory changes are one commit or none.
import { createArchivalDraft } from "../memory/archival/archival-draft.ts";
import { createRecallSearch } from "../memory/recall/recall-search.ts";
import type { ModuleChange, StoredMessage } from "../memory/records.ts";
import { ToolError } from "../errors.ts";
import type { ToolCallPart } from "../message.ts";
import { interruptedOutcome, runToolCall, type ToolOutcome } from "../tool/run-tool-call.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentEvent } from "./events.ts";
import type { ToolResultDraft } from "./session.ts";
import type { Turn } from "./turn.ts";

export interface CallingReply {
  /** The assistant's message, committed with its calls pending. */
  readonly message: StoredMessage;
  readonly step: number;
  readonly calls: readonly ToolCallPart[];
  /** The reply was cut off, so its last call may be incomplete. */
  readonly cut: boolean;
  /** The process that should have run the calls is gone: those with effects outside are not run again. */
  readonly recovering: boolean;
}

export interface CallsEnd {
  readonly someFailed: boolean;
  /** What calls showed to the user. */
  readonly shown: string;
}

export async function* runToolCalls(turn: Turn, reply: CallingReply): AsyncGenerator<AgentEvent, CallsEnd> {
  const shown: string[] = [];
  let someFailed = false;
  for (const call of reply.calls) {
    const { callId, name } = call;
    yield turn.event({ type: "tool-call", step: reply.step, callId, name, arguments: call.arguments });
    const { outcome, changes, passages } = await runAndCommit(turn, reply, call);
    if (outcome.status !== "ok") someFailed = true;
    const text = outcome.status === "ok" ? turn.protocol.visibleText(call) : "";
    if (text !== "") {
      shown.push(text);
      yield turn.event({ type: "text-delta", step: reply.step, text });
    }
    yield turn.event({
      type: "tool-result",
      step: reply.step,
      callId,
      name,
      status: outcome.status === "ok" ? "ok" : "failed",
      text: outcome.text,
    });
    yield* changes.map((change) => memoryEdit(turn, { change, callId, step: reply.step }));
    if (passages > 0) turn.archival.embedPending();
  }
  return { someFailed, shown: shown.join("\n") };
}

interface CommittedCall {
  readonly outcome: ToolOutcome;
  readonly changes: readonly ModuleChange[];
  readonly passages: number;
}

async function runAndCommit(turn: Turn, reply: CallingReply, call: ToolCallPart): Promise<CommittedCall> {
  const { session } = turn;
  const memory = session.memory.draft();
  const tools = turn.toolsFor(memory);
  const archival = createArchivalDraft(turn.archival, { ids: turn.ids, now: () => turn.clock.now() });
  const outcome = mayRun(
    turn,
    reply,
    tools.find(({ name }) => name === call.name),
  )
    ? await run(turn, { reply, call, tools, memory, archival })
    : interruptedOutcome(call.name);
  const commit = (result: ToolOutcome, edits: ToolResultDraft["edits"]): Promise<readonly ModuleChange[]> =>
    session.commitToolResult({
      turnId: turn.turnId,
      callMessage: reply.message,
      callId: call.callId,
      toolName: call.name,
      status: result.status,
      text: result.text,
      edits,
    });
  if (outcome.status !== "ok") return { outcome, changes: await commit(outcome, null), passages: 0 };
  try {
    const changes = await commit(outcome, { memory, passages: archival.inserted });
    return { outcome, changes, passages: archival.inserted.length };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    await session.refreshMemory();
    const refused: ToolOutcome = { status: "failed", text: error.message };
    return { outcome: refused, changes: await commit(refused, null), passages: 0 };
  }
}

/** A call that was broken off may have had its effect outside; one that only touches memory has had none. */
function mayRun({ signal }: Turn, { recovering }: CallingReply, tool: Tool | undefined): boolean {
  return !signal.aborted && !(recovering && tool?.effects === "external");
}

interface CallRun {
  readonly reply: CallingReply;
  readonly call: ToolCallPart;
  readonly tools: readonly Tool[];
  readonly memory: ReturnType<Turn["session"]["memory"]["draft"]>;
  readonly archival: ReturnType<typeof createArchivalDraft>;
}

function run(turn: Turn, { reply, call, tools, memory, archival }: CallRun): Promise<ToolOutcome> {
  const { agent, store, clock, turnId } = turn;
  const { timeZone, toolResultLimit } = agent.settings;
  return runToolCall({
    call,
    tools,
    cut: reply.cut,
    resultLimit: toolResultLimit,
    reservedParameters: turn.protocol.reservedParameters,
    context: {
      agent: { id: agent.id, name: agent.name },
      user: { id: store.userId },
      conversationId: turn.conversationId,
      callId: call.callId,
      idempotencyKey: `${reply.message.id}:${call.callId}`,
      core: memory,
      archival,
      recall: createRecallSearch(store.recall, { agentId: agent.id, timeZone, turnId }),
      timeZone,
      now: () => clock.now(),
      signal: turn.signal,
    },
  });
}

function memoryEdit(
  turn: Turn,
  { change, callId, step }: { readonly change: ModuleChange; readonly callId: string; readonly step: number },
): AgentEvent {
  const { label, before, after, revision } = change;
  const { limit } = turn.session.memory.module(label);
  return turn.event({ type: "memory-edit", step, callId, label, before, after, revision: revision + 1, limit });
}
