// Creates the span `chat` of one model call of a turn.
// Invariant: the span lasts from the request to the first tool call or, without one, to the end of the step. `close` sets this
// end later, when it is known why the reply ended.
import { type Context, type Span, SpanKind } from "@opentelemetry/api";
import type { AgentEvent, EventOf } from "../../agent/events.ts";
import { addUsage, noUsage } from "../../base/message/message.ts";
import { failSpan, modelAttributes, openSpan, unixMs, usageAttributes } from "./open-span.ts";

export interface ChatSpan {
  saw(event: AgentEvent): void;
  /** Ends the span. `finish`: why the reply ended, as OpenTelemetry's conventions call it; null if it failed with `error`. */
  close(finish: string | null, error?: string): void;
}

export interface ChatStart {
  readonly model: string;
  readonly conversationId: string;
  readonly parent: Context;
  readonly hasContent: boolean;
}

export function createChatSpan(start: ChatStart): ChatSpan {
  const startedAt = unixMs();
  const span = openChat(start);
  const output = createOutput();
  let usage = noUsage;
  let hasChunk = false;
  let hasCalls = false;
  let endedAt: number | null = null;

  function onText(type: "text" | "reasoning", text: string): void {
    if (!hasChunk) span.setAttribute("gen_ai.response.time_to_first_chunk", (unixMs() - startedAt) / 1000);
    hasChunk = true;
    output.addText(type, text);
  }

  return {
    saw(event) {
      if (event.type === "text-delta") onText("text", event.text);
      else if (event.type === "thought-delta") onText("reasoning", event.text);
      else if (isCall(event)) {
        endedAt ??= unixMs();
        hasCalls = true;
        output.addCall(event);
      } else if (event.type === "retry") {
        output.discard();
        span.addEvent("retry", { attempt: event.attempt, delay_ms: event.delayMs }, unixMs());
      } else if (event.type === "step-end") {
        endedAt ??= unixMs();
        usage = addUsage(usage, event.usage);
      }
    },
    close(finish, error) {
      const reason = hasCalls ? "tool_call" : (finish ?? "error");
      span.setAttributes({ ...usageAttributes(usage), "gen_ai.response.finish_reasons": [reason] });
      if (start.hasContent) span.setAttribute("gen_ai.output.messages", output.json(reason));
      if (error !== undefined) failSpan(span, error);
      span.end(endedAt ?? unixMs());
    },
  };
}

type CallEvent = EventOf<"tool-call" | "approval-requested" | "result-requested">;

function isCall(event: AgentEvent): event is CallEvent {
  return event.type === "tool-call" || event.type === "approval-requested" || event.type === "result-requested";
}

function openChat({ model, conversationId, parent }: ChatStart): Span {
  const attributes = modelAttributes(model);
  const { span } = openSpan({
    name: `chat ${String(attributes["gen_ai.request.model"])}`,
    kind: SpanKind.CLIENT,
    attributes: {
      "gen_ai.operation.name": "chat",
      ...attributes,
      "gen_ai.conversation.id": conversationId,
      "gen_ai.request.stream": true,
    },
    parent,
  });
  return span;
}

type Part =
  | { readonly type: "text" | "reasoning"; content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: unknown };

/** Collects the message of a reply, in the schema of OpenTelemetry's conventions. */
function createOutput() {
  let parts: Part[] = [];
  return {
    addText(type: "text" | "reasoning", text: string): void {
      const last = parts.at(-1);
      if (last?.type === type) last.content += text;
      else parts.push({ type, content: text });
    },
    addCall({ callId, name, arguments: json }: CallEvent): void {
      parts.push({ type: "tool_call", id: callId, name, arguments: parsed(json) });
    },
    discard(): void {
      parts = [];
    },
    json: (reason: string): string => JSON.stringify([{ role: "assistant", parts, finish_reason: reason }]),
  };
}

/** Returns the value of JSON arguments, or the model's text if it is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
