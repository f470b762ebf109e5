// Creates the spans of a turn from its events: `invoke_agent`, with a `chat` for each model call and an `execute_tool` for each
// tool call.
// Invariant: unless `hasContent` is set, no span contains a text of a user, a model or a tool; every span is ended.
import { SpanKind } from "@opentelemetry/api";
import type { EventOf, StopReason } from "../../agent/events.ts";
import type { ObservedTurn, ObserveTurn } from "../../agent/lease/running-turns.ts";
import { type ChatSpan, createChatSpan } from "./chat-span.ts";
import {
  callerContext,
  failSpan,
  modelAttributes,
  openSpan,
  type OpenSpan,
  unixMs,
  usageAttributes,
} from "./open-span.ts";

export interface SpanOptions {
  /** Whether spans contain the texts of the model, and the arguments and results of tools. */
  readonly hasContent: boolean;
}

/** The names in OpenTelemetry's conventions for why a reply ended, keyed by the stop reason of its turn. */
const finishReasons: Partial<Readonly<Record<StopReason, string>>> = {
  length: "length",
  refusal: "content_filter",
  "model-error": "error",
  "context-overflow": "error",
};

/** Returns the observer of turns. The caller's active span is the parent of `invoke_agent`. */
export function createTurnSpans({ hasContent }: SpanOptions): ObserveTurn {
  return (turn) => {
    const caller = callerContext();
    let invocation: OpenSpan | null = null;
    let chat: ChatSpan | null = null;
    const tools = new Map<string, OpenSpan>();

    function closeChat(finish: string | null, error?: string): void {
      chat?.close(finish, error);
      chat = null;
    }

    function endTool({ callId, status, text }: EventOf<"tool-result">): void {
      const span = tools.get(callId)?.span;
      tools.delete(callId);
      if (hasContent) span?.setAttribute("gen_ai.tool.call.result", text);
      if (span !== undefined && status === "failed") failSpan(span, "tool_failed");
      span?.end(unixMs());
    }

    function end({ stopReason, usage, error }: EventOf<"turn-end">, { span }: OpenSpan): void {
      closeChat(finishReasons[stopReason] ?? "stop", stopReason === "model-error" ? error?.code : undefined);
      span.setAttributes({ ...usageAttributes(usage), "palimpsest.stop_reason": stopReason });
      if (error !== undefined) failSpan(span, error.code);
    }

    return {
      saw(event) {
        if (event.type === "turn-start") invocation = startInvocation(turn, event, caller);
        if (invocation === null) return;
        if (event.type === "step-start") {
          closeChat("stop");
          const { conversationId } = turn;
          chat = createChatSpan({ model: event.model, conversationId, parent: invocation.context, hasContent });
        }
        chat?.saw(event);
        if (event.type === "tool-call")
          tools.set(event.callId, openTool(event, { turn, hasContent, parent: invocation.context }));
        else if (event.type === "tool-result") endTool(event);
        else if (event.type === "turn-end") end(event, invocation);
        if (event.type !== "turn-end") return;
        invocation.span.end(unixMs());
        invocation = null;
      },
      left() {
        closeChat(null, "_OTHER");
        const open = [...tools.values(), ...(invocation === null ? [] : [invocation])];
        for (const { span } of open) {
          failSpan(span, "_OTHER");
          span.end(unixMs());
        }
        tools.clear();
        invocation = null;
      },
    };
  };
}

function startInvocation(
  { agent, conversationId }: ObservedTurn,
  { turnId }: EventOf<"turn-start">,
  parent: ReturnType<typeof callerContext>,
): OpenSpan {
  return openSpan({
    name: `invoke_agent ${agent.name}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      ...modelAttributes(agent.model),
      "gen_ai.agent.id": agent.id,
      "gen_ai.agent.name": agent.name,
      "gen_ai.conversation.id": conversationId,
      "palimpsest.turn_id": turnId,
    },
    parent,
  });
}

interface ToolStart {
  readonly turn: ObservedTurn;
  readonly hasContent: boolean;
  readonly parent: OpenSpan["context"];
}

function openTool({ callId, name, arguments: json }: EventOf<"tool-call">, start: ToolStart): OpenSpan {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callId,
    "gen_ai.conversation.id": start.turn.conversationId,
    ...(start.hasContent ? { "gen_ai.tool.call.arguments": json } : {}),
  };
  return openSpan({ name: `execute_tool ${name}`, kind: SpanKind.INTERNAL, attributes, parent: start.parent });
}
