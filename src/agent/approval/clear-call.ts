// Decides whether a tool call runs now, waits for the user's approval, or gets a result without running.
// Invariant: a call that needs approval never runs without it, even if another process resumes an interrupted turn.
import { ToolError } from "../../errors.ts";
import type { ApprovalDecision, ApprovalRecord, StoredMessage } from "../../memory/records.ts";
import { type ToolCallPart, toolCallsOf } from "../../message/message.ts";
import { interruptedOutcome, ownArguments, type ToolOutcome } from "../../tool/run-tool-call.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Turn } from "../turn.ts";

export interface ReplyWithCalls {
  /** The assistant's message, committed with its calls pending. */
  readonly message: StoredMessage;
  readonly step: number;
  readonly calls: readonly ToolCallPart[];
  /** The reply was cut off, so its last call may be incomplete. */
  readonly cut: boolean;
  /**
   * `now`: no call has started. `again`: some may have started, and those with external effects are not run again.
   * `settle`: as `again`, but a user message follows, so no approval can be requested. `leave`: no call has started,
   * and none is run.
   */
  readonly manner: "now" | "again" | "settle" | "leave";
}

export type Clearance =
  /** `note`: text for the model that precedes the result. */
  | { readonly type: "run"; readonly call: ToolCallPart; readonly note: string | null }
  | { readonly type: "settle"; readonly outcome: ToolOutcome }
  | { readonly type: "wait"; readonly approval: ApprovalRecord };

/** Decides what happens to a call. A request for approval is committed before this function returns. */
export async function clearCall(turn: Turn, reply: ReplyWithCalls, call: ToolCallPart): Promise<Clearance> {
  if (turn.signal.aborted) return settle(interruptedOutcome(call.name));
  const tool = turn.toolsFor(turn.session.memory).find(({ name }) => name === call.name);
  const approval = turn.session.approvals.find({ messageId: reply.message.id, callId: call.callId });
  const verdict = verdictOf(approval);
  if (approval !== null && verdict === "denied") return settle(deniedOutcome(approval));
  if (reply.manner === "leave") return settle(supersededOutcome(call.name));
  const surplus = overLimitOutcome(turn, reply, call);
  if (surplus !== null) return settle(surplus);
  if (tool !== undefined && verdict === null && needsApproval(turn, tool))
    return requestApproval(turn, { reply, call, tool });
  if (mayHaveRun(reply, tool)) return settle(interruptedOutcome(call.name));
  return approval === null ? { type: "run", call, note: null } : runApproved(call, approval);
}

function verdictOf(approval: ApprovalRecord | null): ApprovalDecision["verdict"] | null {
  return approval?.decision?.verdict ?? null;
}

/**
 * Counts calls by their position in the whole reply, so that a resumed turn has the same limit. Null within the limit.
 */
function overLimitOutcome(
  { agent }: Pick<Turn, "agent">,
  { message }: ReplyWithCalls,
  { callId, name }: ToolCallPart,
): ToolOutcome | null {
  const { maxToolCalls } = agent.settings;
  const calls = toolCallsOf(message);
  if (calls.findIndex((call) => call.callId === callId) < maxToolCalls) return null;
  return {
    status: "failed",
    text: `${name} was not run: the reply has ${calls.length} calls, and at most ${maxToolCalls} calls of one reply are run. Call it again if it is still needed.`,
  };
}

/** A call with external effects may have had them before the process that ran it ended. */
function mayHaveRun({ manner }: ReplyWithCalls, tool: Tool | undefined): boolean {
  return (manner === "again" || manner === "settle") && tool?.effects === "external";
}

/** Returns whether the tool's definition or the agent's setting `approvals` requires approval. */
function needsApproval({ agent }: Pick<Turn, "agent">, tool: Tool): boolean {
  return tool.approval || agent.settings.approvals.includes(tool.name);
}

interface ApprovalRequest {
  readonly reply: ReplyWithCalls;
  readonly call: ToolCallPart;
  readonly tool: Tool;
}

async function requestApproval(turn: Turn, { reply, call, tool }: ApprovalRequest): Promise<Clearance> {
  if (reply.manner === "settle") return settle(supersededOutcome(call.name));
  const { session, clock, agent, conversationId } = turn;
  const asked = session.approvals.find({ messageId: reply.message.id, callId: call.callId });
  if (asked !== null) return { type: "wait", approval: asked };
  const checked = validArguments(turn, { reply, call, tool });
  // No approval is requested for a call whose arguments are invalid.
  if (typeof checked !== "string") return settle(checked);
  const requestedAt = clock.now();
  const { approvalTimeout } = agent.settings;
  const approval = await session.approvals.request({
    conversationId,
    messageId: reply.message.id,
    callId: call.callId,
    toolName: call.name,
    arguments: checked,
    requestedAt,
    expiresAt: approvalTimeout === null ? null : new Date(requestedAt.getTime() + approvalTimeout * 1000),
  });
  return { type: "wait", approval };
}

function validArguments(turn: Pick<Turn, "protocol">, { reply, call, tool }: ApprovalRequest): string | ToolOutcome {
  const { reservedParameters } = turn.protocol;
  try {
    const own = ownArguments({ call, cut: reply.cut, reservedParameters });
    tool.parameters.parse(own);
    return JSON.stringify(own);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { status: "failed", text: error.message };
  }
}

function runApproved(call: ToolCallPart, { arguments: asked, decision }: ApprovalRecord): Clearance {
  const edited = decision?.arguments ?? null;
  const note = edited === null ? null : `The user approved this call with other arguments: ${edited}`;
  return { type: "run", call: { ...call, arguments: edited ?? asked }, note };
}

function settle(outcome: ToolOutcome): Clearance {
  return { type: "settle", outcome };
}

function deniedOutcome({ toolName, decision }: ApprovalRecord): ToolOutcome {
  return { status: "failed", text: `${toolName} was not run: ${denialReason(decision)}` };
}

function denialReason(decision: ApprovalRecord["decision"]): string {
  switch (decision?.by) {
    case "timeout":
      return "it needs the user's approval, and nobody decided in time, so it counts as denied.";
    case "message":
      return "it needs the user's approval, and the user sent the following message instead of approving it.";
    default:
      return decision?.reason ? `the user denied it and says: ${decision.reason}` : "the user denied it.";
  }
}

function supersededOutcome(toolName: string): ToolOutcome {
  return {
    status: "failed",
    text: `${toolName} was not run: the user sent the following message before the call started.`,
  };
}
