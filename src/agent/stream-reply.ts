// Calls the model for one reply: collects the deltas into content parts, emits them as events, and returns the reply.
// Invariant: a reply is (1) complete, (2) interrupted, by the user or because a caller's model broke the protocol, with
// the text that was shown, or (3) failed, with nothing kept. If this process hands the turn over, nothing is kept
// either. A retry discards everything before it, and no two calls of a reply share an id.
import type { CompiledContext } from "../context/window/compile-context.ts";
import type { ContextReport } from "../store/port/context-report.ts";
import { ContextOverflowError, ModelError, ModelProtocolError, ModelReplyLimitError } from "../base/errors.ts";
import type { ModelEvent, ModelRequest, ModelStopReason } from "../model/llm/model.ts";
import { type ContentPart, noUsage, type Usage, type ToolCallPart, toolCallsOf } from "../base/message/message.ts";
import type { AgentEvent } from "./events.ts";
import { fitContext, offeredTools } from "./fit-context.ts";
import { repairArguments } from "../tool/run-tool-call.ts";
import { toolChoiceOf } from "./rules/turn-rules.ts";
import { throwIfHandedOver, type Turn } from "./turn.ts";
import { storableText } from "../base/code-points.ts";

export type Reply =
  | {
      readonly type: "complete" | "interrupted";
      readonly content: readonly ContentPart[];
      /** Plain text for the user. */
      readonly text: string;
      readonly finish: ModelStopReason;
      readonly usage: Usage;
      readonly report: ContextReport;
      /** The error of a model that broke the protocol: the reply is the text before the error. */
      readonly error?: ModelError;
    }
  | { readonly type: "failed"; readonly error: ModelError; readonly usage: Usage };

/** Maximum model calls for one reply while the provider finds the request too long; the window is compacted in between. */
const maxAttempts = 3;

/** Maximum tool calls that are read from one reply. Each is stored and gets a result, so the number needs a bound. */
const maxCallsRead = 1000;

/** Calls the model; compacts and calls again if the provider reports that the request is too long. */
export async function* streamReply(
  turn: Turn,
  context: CompiledContext,
  step: number,
): AsyncGenerator<AgentEvent, Reply> {
  let current = context;
  for (let attempt = 1; ; attempt += 1) {
    const reply = yield* callModel(turn, current, step);
    const overflowed = reply.type === "failed" && reply.error instanceof ContextOverflowError;
    if (!overflowed || attempt === maxAttempts) return reply;
    const { cut } = turn.session;
    const smaller = yield* fitContext(turn, { atLeastOneCompaction: true });
    // The compaction removed nothing, so the same request would fail again.
    if (smaller.report.overflow !== null || turn.session.cut === cut) return reply;
    current = smaller;
  }
}

async function* callModel(turn: Turn, context: CompiledContext, step: number): AsyncGenerator<AgentEvent, Reply> {
  const { report } = context;
  const { signal } = turn;
  const model = turn.models.answering;
  const parts = createReplyParts();
  const isSent = !signal.aborted;
  let finish: ModelStopReason = "end";
  try {
    for await (const event of model.stream(requestOf(turn, context), { signal })) {
      if (event.type === "end") finish = event.stopReason;
      parts.add(event);
      if (parts.callCount() > maxCallsRead) throw tooManyCalls(model.name);
      const emitted = toTurnEvent(turn, event, step);
      if (emitted !== null) yield emitted;
    }
  } catch (error) {
    throwIfHandedOver(turn);
    if (signal.aborted) {
      const usage = isSent ? cutUsage(turn, parts, report) : noUsage;
      return { type: "interrupted", content: parts.textParts(), text: visibleText(turn, parts), finish, usage, report };
    }
    if (!(error instanceof ModelError)) throw error;
    const text = visibleText(turn, parts);
    const usage = reportedUsage(parts);
    // The text is not kept if another call may succeed (`retryable`), for example because the provider's stream was cut.
    const isKept = error instanceof ModelProtocolError && !error.retryable && text !== "";
    if (!isKept) return { type: "failed", error, usage };
    return { type: "interrupted", content: parts.textParts(), text, finish, usage, report, error };
  }
  const usage = reportedUsage(parts);
  return {
    type: "complete",
    content: keptParts(parts.all(), finish),
    text: visibleText(turn, parts),
    finish,
    usage,
    report,
  };
}

/**
 * Returns the parts of a reply that are kept. A refused reply keeps no call, because none may run. If a reply was cut at the
 * length limit, empty arguments of its last call may be incomplete: they become "", which no tool accepts. In any other reply,
 * all calls are complete, and small mistakes in their arguments are repaired.
 */
function keptParts(parts: readonly ContentPart[], finish: ModelStopReason): readonly ContentPart[] {
  if (finish === "refusal") return parts.filter((part) => part.type !== "tool-call");
  return parts.map((part, at) => {
    if (part.type !== "tool-call") return part;
    if (finish !== "length") return { ...part, arguments: repairArguments(part.arguments) };
    return at === parts.length - 1 && /^\s*(?:\{\s*\}\s*)?$/u.test(part.arguments) ? { ...part, arguments: "" } : part;
  });
}

function requestOf(turn: Turn, { system, messages, report }: CompiledContext): ModelRequest {
  const { agent, memories, conversationId, output, protocol } = turn;
  return {
    system,
    messages,
    tools: offeredTools(turn),
    maxOutputTokens: Math.max(1, Math.min(agent.settings.maxOutputTokens, freeTokens(report))),
    toolChoice: agent.settings.toolRules.length === 0 ? protocol.toolChoice : toolChoiceOf(turn),
    cacheKey: conversationId,
    // In the heartbeat protocol, no schema is sent, because plain text is a thought there and not the answer.
    ...(output === undefined || protocol.plainText !== "text" ? {} : { output }),
    loadFile: memories.attachments.load,
  };
}

/** Share of a request by which its real tokens may exceed the estimate, which is too low for about half of the requests. */
const estimateError = 0.05;

/**
 * Returns the tokens that the reply may use: all that are free, because the reserve is only a minimum, except a margin for the
 * estimate's error. Servers such as vLLM refuse a request whose tokens and limit together exceed the window.
 */
function freeTokens({ window, total, reserve }: ContextReport): number {
  return Math.max(window - Math.ceil(total * (1 + estimateError)), Math.floor(reserve / 2));
}

function reportedUsage(parts: ReplyParts): Usage {
  const attempt = parts.attempt();
  return attempt?.isEnded === true ? (attempt.reported ?? noUsage) : noUsage;
}

/** Returns the tokens of an interrupted call: the input as reported or counted, and the output as counted. */
function cutUsage({ window: { countTokens, calibration } }: Turn, parts: ReplyParts, report: ContextReport): Usage {
  const attempt = parts.attempt();
  if (attempt === null || attempt.isEnded) return reportedUsage(parts);
  const { reported } = attempt;
  const texts = parts
    .all()
    .map((part) => (part.type === "tool-call" ? part.arguments : "text" in part ? part.text : ""));
  return {
    inputTokens: reported?.inputTokens ?? report.total,
    outputTokens: Math.max(reported?.outputTokens ?? 0, calibration.scale.reported(countTokens(texts.join("")))),
    cachedInputTokens: reported?.cachedInputTokens ?? 0,
    isEstimated: true,
  };
}

function toTurnEvent(turn: Turn, event: ModelEvent, step: number): AgentEvent | null {
  switch (event.type) {
    case "text-delta":
      return turn.event({
        type: turn.protocol.plainText === "text" ? "text-delta" : "thought-delta",
        step,
        text: event.text,
      });
    case "thought-delta":
      return turn.event({ type: "thought-delta", step, text: event.text });
    case "retry":
      return turn.event({ type: "retry", step, attempt: event.attempt, delayMs: event.delayMs, reason: event.reason });
    case "thought-signature":
    case "tool-call":
    case "usage":
    case "end":
      return null;
  }
}

function tooManyCalls(name: string): ModelReplyLimitError {
  return new ModelReplyLimitError(
    `"${name}" made more than ${maxCallsRead.toLocaleString("en-US")} tool calls in one reply. The reply was discarded. Ask for less at once, or use another model.`,
    { provider: name.split("/", 1)[0] ?? name },
  );
}

function visibleText(turn: Turn, parts: ReplyParts): string {
  return turn.protocol.plainText === "text" ? parts.text() : "";
}

export interface ReplyParts {
  add(event: ModelEvent): void;
  all(): readonly ContentPart[];
  /** The text parts: the only parts that are kept of an interrupted reply. */
  textParts(): readonly ContentPart[];
  text(): string;
  /** The tokens of the running call; null after a failed call, until the model is called again. */
  attempt(): Attempt | null;
  callCount(): number;
}

/** The tokens of one model call. `reported`: null until the provider reports them; final once the reply has ended. */
export interface Attempt {
  readonly reported: Usage | null;
  readonly isEnded: boolean;
}

export function createReplyParts(): ReplyParts {
  let parts: ContentPart[] = [];
  let attempt: Attempt | null = { reported: null, isEnded: false };

  const addText = (type: "text" | "thought", text: string): void => {
    const last = parts.at(-1);
    const open = last?.type === type && !("signature" in last);
    if (open) parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ type, text });
  };

  const add = (event: ModelEvent): void => {
    if (event.type === "text-delta") addText("text", event.text);
    if (event.type === "thought-delta") addText("thought", event.text);
    if (event.type === "thought-signature") sign(event.signature);
    if (event.type === "tool-call") parts.push(uniqueCall(parts, event));
    if (event.type === "retry") parts = [];
    attempt = attemptAfter(attempt, event);
  };

  const sign = (signature: string): void => {
    const last = parts.at(-1);
    if (last?.type === "thought" && last.signature === undefined) parts[parts.length - 1] = { ...last, signature };
    else parts.push({ type: "thought", text: "", signature });
  };

  const textParts = (): readonly ContentPart[] => parts.filter((part) => part.type === "text" && part.text !== "");
  return {
    add,
    all: () => parts,
    attempt: () => attempt,
    textParts,
    callCount: () => toolCallsOf({ content: parts }).length,
    text: () =>
      textParts()
        .map((part) => (part.type === "text" ? part.text : ""))
        .join(""),
  };
}

function attemptAfter(attempt: Attempt | null, event: ModelEvent): Attempt | null {
  if (event.type === "retry") return null;
  if (event.type === "usage" || event.type === "end") return { reported: event.usage, isEnded: event.type === "end" };
  return attempt ?? { reported: null, isEnded: false };
}

function uniqueCall(
  parts: readonly ContentPart[],
  { callId, name, arguments: text }: Extract<ModelEvent, { type: "tool-call" }>,
): ToolCallPart {
  const taken = new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
  // Ids are compared in the form that is stored, because two ids may differ only in characters that cannot be stored.
  const id = storableText(callId);
  let unique = id;
  for (let count = 2; taken.has(unique); count += 1) unique = `${id}_${count}`;
  return { type: "tool-call", callId: unique, name, arguments: text };
}
