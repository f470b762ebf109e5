// Decides what happens to a tool call: it runs now, it waits (for an approval, the caller's result or another agent's
// reply), or it gets a result without running.
// Invariant: a call that needs approval never runs without it, even if another process resumes an interrupted turn.
import { findOpenCalls } from "./open-calls.ts";
import { ToolError } from "../../base/errors.ts";
import type { StepRecord, StoredMessage } from "../../store/port/records.ts";
import type { ApprovalRecord } from "../../store/port/approval-store.ts";
import { textOf, type ToolCallPart, toolCallsOf, type ToolResultPart } from "../../base/message/message.ts";
import { changedLines } from "../../base/line-diff.ts";
import { skillWriter } from "../../memory/core/skill.ts";
import { editPreview } from "../../memory/core/versioned-memory.ts";
import {
  cutResult,
  interruptedOutcome,
  ownArguments,
  previewToolCall,
  type ToolOutcome,
} from "../../tool/run-tool-call.ts";
import { confirmsEdit, isClientTool, isInstantTool, replyRequestOf } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { requiresApproval } from "../rules/tool-rules.ts";
import { outcomeAgainstRules } from "../rules/turn-rules.ts";
import { throwIfHandedOver, type Turn, type AgentDeps } from "../turn.ts";
import type { ToolDescription } from "../agent-results.ts";

export interface ReplyWithCalls {
  /** The assistant's message. It is committed, and its calls are pending, unless `uncommitted` is set. */
  readonly message: StoredMessage;
  /** The log of the model call, if the message is committed with the result of its only call (`isCommittedWithResult`). */
  readonly uncommitted?: StepRecord | undefined;
  readonly step: number;
  readonly calls: readonly ToolCallPart[];
  /** The messages that the model saw when it wrote the reply; absent if they are not known. */
  readonly inView?: readonly StoredMessage[];
  /** Whether the reply was cut off, so that its last call may be incomplete. */
  readonly cut: boolean;
  /**
   * `now`: no call of the reply has started. `again`: a pending call may have started before, so it is not run again if it
   * has external effects. `settle`: like `again`, but another message follows, so a call that would wait gets a result
   * instead.
   */
  readonly manner: "now" | "again" | "settle";
  /** The id of a call about which the user has just decided, and which has not started. */
  readonly decided?: string;
}

export type Clearance =
  /** `note`: text for the model that precedes the result. */
  | { readonly type: "run"; readonly call: ToolCallPart; readonly note: string | null }
  | { readonly type: "settle"; readonly outcome: ToolOutcome }
  | { readonly type: "wait"; readonly waiting: ApprovalRecord; readonly isRequested: boolean };

/** Decides what happens to a call. For `wait`, the caller must store the request `waiting`, unless `isRequested` is true. */
export async function clearCall(turn: Turn, reply: ReplyWithCalls, call: ToolCallPart): Promise<Clearance> {
  throwIfHandedOver(turn);
  if (turn.signal.aborted) return settle(interruptedOutcome(call.name));
  const tool = turn.tools.of(turn.session.memory).find(({ name }) => name === call.name);
  const asked = turn.session.approvals.find({ messageId: reply.message.id, callId: call.callId });
  if (asked?.decision?.verdict === "denied") return settle(deniedOutcome(asked));
  const refused = overLimitOutcome(turn, reply, call) ?? (asked === null ? againstRules(turn, reply, call) : null);
  if (refused !== null) return settle(refused);
  const needs = asked === null ? neededBy(turn, tool) : stillNeeded(asked);
  if (needs !== null) return waitFor(turn, { reply, call, tool, asked, needs });
  if (mayHaveRun(reply, call, tool)) return settle(interruptedOutcome(call.name));
  const cleared =
    asked === null ? ({ type: "run", call, note: null } as const) : await runApproved(turn, tool, asked, call);
  return runOrAsk(turn, { reply, tool, asked }, cleared);
}

/**
 * Returns `cleared`, unless the call asks another agent and waits for the reply. In this case, it sends the message before the wait
 * is stored. If the process ends in between, the next process calls `ask` again, which does not send the message twice.
 */
async function runOrAsk(
  turn: Turn,
  { reply, tool, asked }: Pick<NeededCall, "reply" | "tool" | "asked">,
  cleared: Clearance,
): Promise<Clearance> {
  const request = tool === undefined ? null : replyRequestOf(tool);
  if (request === null || cleared.type !== "run") return cleared;
  const { call } = cleared;
  const checked = validArguments(turn, { reply, call, tool });
  if ("status" in checked || !request.waits(checked.parsed)) return cleared;
  if (reply.manner === "settle") return settle(supersededOutcome(call.name, asked));
  const { conversationId, agent, clock } = turn;
  const place = { conversationId, messageId: reply.message.id, callId: call.callId };
  try {
    const result = await request.ask(checked.parsed, { ...place, agentId: agent.id });
    if (result !== null) return settle({ status: "ok", text: result });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return settle({ status: "failed", text: error.message });
  }
  const { text: written } = checked;
  const none = { preview: null, expiresAt: null, decision: asked?.decision ?? null, requestedAt: clock.now() };
  const waiting = { ...place, ...none, awaits: "reply", toolName: call.name, arguments: written } as const;
  return { type: "wait", waiting, isRequested: false };
}

/**
 * Returns the result of a call that exceeds the maximum number of calls in one reply; null if it does not. Calls are counted
 * by their position in the whole reply, so that a resumed turn has the same limit.
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

/**
 * Returns the result of a call that violates a tool rule; null if the call may run. Not used for a call whose approval or
 * result was requested before, because the rules were checked before that request.
 */
function againstRules(turn: Turn, { message }: ReplyWithCalls, { callId, name }: ToolCallPart): ToolOutcome | null {
  if (turn.agent.settings.toolRules.length === 0) return null;
  const before = toolCallsOf(message).slice(
    0,
    toolCallsOf(message).findIndex((call) => call.callId === callId),
  );
  const open = new Set(findOpenCalls(turn.session.messages)?.calls.map((call) => call.callId));
  const waiting = before.filter((call) => open.has(call.callId)).map((call) => call.name);
  return outcomeAgainstRules(turn, { turnId: message.turnId, name, waiting });
}

/**
 * Whether a call may have had external effects before the process that ran it ended. True if the agent no longer has the tool,
 * because the tool's effects are then unknown.
 */
function mayHaveRun({ manner, decided }: ReplyWithCalls, { callId }: ToolCallPart, tool: Tool | undefined): boolean {
  return manner !== "now" && callId !== decided && (tool === undefined || tool.effects === "external");
}

/**
 * Returns what a call of the tool waits for: `result` (from the caller), or `approval` if the tool's definition, the setting
 * `approvals` or a tool rule requires one; null for nothing.
 */
function neededBy({ agent }: Pick<Turn, "agent">, tool: Tool | undefined): ApprovalRecord["awaits"] | null {
  if (tool === undefined) return null;
  if (isClientTool(tool)) return "result";
  const { approvals, toolRules } = agent.settings;
  const isRuled = toolRules.length > 0 && requiresApproval(toolRules, tool.name);
  return tool.approval || approvals.includes(tool.name) || isRuled ? "approval" : null;
}

/**
 * Whether a reply is committed in one transaction with the result of its only call. So that the commit is not delayed,
 * this requires a tool that returns at once, a call that waits for nothing, and an agent without tool rules.
 */
export function isCommittedWithResult(turn: Turn, content: StoredMessage["content"]): boolean {
  const [call, ...others] = toolCallsOf({ content });
  if (call === undefined || others.length > 0 || turn.agent.settings.toolRules.length > 0) return false;
  const tool = turn.tools.of(turn.session.memory).find(({ name }) => name === call.name);
  return tool !== undefined && isInstantTool(tool) && neededBy(turn, tool) === null;
}

/** Whether a call has succeeded in editing memory, and needed neither approval nor a result from the caller. */
function isConfirmed(
  { agent, session, tools }: Pick<Turn, "agent" | "session" | "tools">,
  call: ToolCallPart,
  { status }: ToolResultPart,
): boolean {
  const tool = tools.of(session.memory).find(({ name }) => name === call.name);
  return status === "ok" && tool !== undefined && confirmsEdit(tool) && neededBy({ agent }, tool) === null;
}

type AnswerDeps = Pick<Turn, "agent" | "session" | "protocol" | "tools" | "output">;

/**
 * Whether a reply with calls is the answer that ends its turn: it has text, and all its calls have edited memory. Depends on
 * stored messages only, so a resumed turn ends after the same reply. False for a reply without calls, and in a turn whose
 * answer must fit a schema, because text beside calls seldom fits.
 */
export function isAnswer(deps: AnswerDeps, message: StoredMessage): boolean {
  const { session, protocol, output } = deps;
  const calls = toolCallsOf(message);
  if (protocol.plainText !== "text" || output !== undefined || message.status === "interrupted") return false;
  if (calls.length === 0 || textOf(message).trim() === "") return false;
  const after = session.messages.slice(session.messages.findIndex(({ id }) => id === message.id) + 1);
  const results = after.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  return calls.every((call) => {
    const result = results.find(({ callId }) => callId === call.callId);
    return result !== undefined && isConfirmed(deps, call, result);
  });
}

function stillNeeded({ awaits, decision }: ApprovalRecord): ApprovalRecord["awaits"] | null {
  return decision === null || awaits === "reply" ? awaits : null;
}

interface NeededCall {
  readonly reply: ReplyWithCalls;
  readonly call: ToolCallPart;
  readonly tool: Tool | undefined;
  readonly asked: ApprovalRecord | null;
  readonly needs: ApprovalRecord["awaits"];
}

async function waitFor(turn: Turn, { reply, call, tool, asked, needs }: NeededCall): Promise<Clearance> {
  if (reply.manner === "settle") return settle(supersededOutcome(call.name, asked));
  if (asked !== null) return { type: "wait", waiting: asked, isRequested: true };
  const { clock, agent, conversationId } = turn;
  const { approvalTimeout } = agent.settings;
  const checked = validArguments(turn, { reply, call, tool });
  // A call with invalid arguments, or with a failed preview, gets this failure as its result: no approval is requested.
  if ("status" in checked) return settle(checked);
  const preview = tool === undefined ? null : await previewOf(turn, tool, checked.parsed);
  if (typeof preview !== "string" && preview !== null) return settle(preview);
  const definition = await definitionOf(turn, tool);
  const requestedAt = clock.now();
  const isUnlimited = needs !== "approval" || approvalTimeout === null;
  const waiting: ApprovalRecord = {
    awaits: needs,
    conversationId,
    messageId: reply.message.id,
    callId: call.callId,
    toolName: call.name,
    arguments: checked.text,
    preview: preview === null ? null : withChange(preview, tool, definition),
    ...(definition === null ? {} : { definition }),
    requestedAt,
    expiresAt: isUnlimited ? null : new Date(requestedAt.getTime() + approvalTimeout * 1000),
    decision: null,
  };
  return { type: "wait", waiting, isRequested: false };
}

/** Returns the preview of a call, cut like the tool's results; null for a tool without previews; if it fails, the outcome. */
function previewOf({ agent, session, signal }: Turn, tool: Tool, args: unknown): Promise<string | null | ToolOutcome> {
  const resultLimit = tool.wholeResult ? Infinity : agent.settings.toolResultLimit;
  return previewToolCall({ tool: { ...tool, ...editPreview(session.memory, tool) }, args, signal, resultLimit });
}

type Definition = NonNullable<ApprovalRecord["definition"]>;

/** Returns the tool's definition and its changes since the last approval; null for a tool that is not from an MCP server. */
async function definitionOf({ session }: Pick<Turn, "session">, tool: Tool | undefined): Promise<Definition | null> {
  if (tool?.definition === undefined) return null;
  const before = await session.approvals.lastDefinition(tool.name);
  return { text: tool.definition, change: before === null ? null : changedLines(before, tool.definition) };
}

/** Inserts the definition's changed lines into the preview, after the tool's `binding`, with which the preview must begin. */
function withChange(preview: string, tool: Tool | undefined, definition: Definition | null): string {
  const change = definition?.change ?? null;
  if (change === null || preview.includes(change)) return preview;
  const binding = tool?.binding ?? "";
  const shown = cutResult(change, maxShownChange);
  return `${binding}The tool's definition has changed since you last approved a call:\n${shown}\n${preview.slice(binding.length)}`;
}

/** Maximum code points of a definition's change in a preview. The record contains the whole change. */
const maxShownChange = 10_000;

interface CheckedArguments {
  /** The arguments as JSON. */
  readonly text: string;
  readonly parsed: unknown;
}

function validArguments(
  turn: Pick<Turn, "protocol">,
  { reply, call, tool }: Pick<NeededCall, "reply" | "call" | "tool">,
): CheckedArguments | ToolOutcome {
  const { reservedParameters } = turn.protocol;
  try {
    const own = ownArguments({ call, cut: reply.cut, reservedParameters });
    return { text: JSON.stringify(own), parsed: tool?.parameters.parse(own) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { status: "failed", text: error.message };
  }
}

/** Returns whether the approval was given for the tool's current definition, which `binding` identifies. */
function isBound(tool: Tool | undefined, { preview }: ApprovalRecord): boolean {
  return tool?.binding === undefined || preview?.startsWith(tool.binding) === true;
}

async function runApproved(
  turn: Turn,
  tool: Tool | undefined,
  approval: ApprovalRecord,
  call: ToolCallPart,
): Promise<Clearance> {
  if (!isBound(tool, approval)) return settle(redefinedOutcome(call.name));
  if (tool !== undefined && (await isOutdated(turn, tool, approval))) return settle(outdatedOutcome(call.name));
  const { arguments: asked, decision } = approval;
  const edited = decision?.arguments ?? null;
  const note = edited === null ? null : `The user approved this call with other arguments: ${edited}`;
  return { type: "run", call: { ...call, arguments: edited ?? asked }, note };
}

/** Whether an approved edit of a skill is outdated: its preview would now show other lines than the user approved. */
async function isOutdated(turn: Turn, tool: Tool, approval: ApprovalRecord): Promise<boolean> {
  if (tool.name !== skillWriter || !isInstantTool(tool)) return false;
  return (await previewOf(turn, tool, tool.parameters.parse(JSON.parse(approval.arguments)))) !== approval.preview;
}

function settle(outcome: ToolOutcome): Clearance {
  return { type: "settle", outcome };
}

function deniedOutcome({ toolName, decision }: ApprovalRecord): ToolOutcome {
  return { status: "failed", text: `${toolName} was not run: ${denialReason(decision)}` };
}

function redefinedOutcome(toolName: string): ToolOutcome {
  const text = `${toolName} was not run: its server has changed the tool's definition since the call was made, so the approval does not count. Read the new definition, and call it again if it is still needed.`;
  return { status: "failed", text };
}

function outdatedOutcome(toolName: string): ToolOutcome {
  const text = `${toolName} was not run: the text that it edits has changed since the user approved the call. Call it again if it is still needed.`;
  return { status: "failed", text };
}

function denialReason(decision: ApprovalRecord["decision"]): string {
  switch (decision?.by) {
    case "timeout":
      return "it needs the user's approval, and nobody decided in time, so it counts as denied.";
    case "message":
      return (
        "it needs the user's approval, and the user sent the following message instead of approving it. " +
        "Answer the message; call the tool again only if the message asks for it."
      );
    default:
      return decision?.reason ? `the user denied it and says: ${decision.reason}` : "the user denied it.";
  }
}

function supersededOutcome(toolName: string, asked: ApprovalRecord | null): ToolOutcome {
  const text =
    asked !== null && asked.awaits !== "approval"
      ? `${toolName} has no result: the following message came instead. The call may or may not have had an effect.`
      : `${toolName} was not run: the user sent the following message before the call started.`;
  return { status: "failed", text };
}

export function toolDescriptions({
  tools,
  session,
  agent,
}: Pick<AgentDeps, "agent" | "session" | "tools">): readonly ToolDescription[] {
  return tools.of(session.memory).map(({ name, description, approval, effects }) => {
    const { approvals, toolRules } = agent.settings;
    const asked = approvals.includes(name) || requiresApproval(toolRules, name) ? "setting" : "never";
    return { name, description, effects, approval: approval ? "always" : asked };
  });
}
