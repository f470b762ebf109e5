// Starts the spans of a turn, with attributes that follow OpenTelemetry's conventions for generative AI (status: development).
// Invariant: all times come from one clock, so that no span ends before it starts.
import {
  type Attributes,
  context,
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Usage } from "../../base/message/message.ts";

export interface OpenSpan {
  readonly span: Span;
  /** The context in which this span is the parent of new spans. */
  readonly context: Context;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly parent: Context;
}

export function openSpan({ name, kind, attributes, parent }: SpanStart): OpenSpan {
  const span = trace.getTracer("palimpsest").startSpan(name, { kind, attributes, startTime: unixMs() }, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** Returns the time in milliseconds since 1970, with fractions. */
export function unixMs(): number {
  return performance.timeOrigin + performance.now();
}

export function usageAttributes(usage: Usage): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens, droppedThoughts = 0, cacheMiss } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cachedInputTokens,
    ...(droppedThoughts === 0 ? {} : { "palimpsest.dropped_thoughts": droppedThoughts }),
    ...(cacheMiss === undefined ? {} : { "palimpsest.cache_miss": cacheMiss }),
  };
}

/** Marks a span as failed. `type` is a code of the error catalogue, or `_OTHER`. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function callerContext(): Context {
  return context.active();
}

/** Returns the provider and the model of a name such as `openai/gpt-5.1`. A model without a provider runs in this process. */
export function modelAttributes(model: string): Attributes {
  const slash = model.indexOf("/");
  const [provider, name] = slash < 1 ? ["palimpsest", model] : [model.slice(0, slash), model.slice(slash + 1)];
  return { "gen_ai.provider.name": provider, "gen_ai.request.model": name };
}
