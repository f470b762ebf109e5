// From a neutral request to the body of OpenAI's Responses API.
// Invariant: pure; nothing is stored at the provider; each call's output stands before any later text.
import type OpenAI from "openai";
import type { ModelRequest } from "../model.ts";
import { openSignature } from "../wire/thought-signature.ts";
import { argumentsText } from "../wire/tool-arguments.ts";
import { tailText } from "../wire/tail-text.ts";
import { wireSchema } from "../wire/tool-schema.ts";
import { wireToolName } from "../wire/wire-names.ts";
import { type AssistantPart, toTurns, type Turn } from "../wire/wire-turns.ts";
import { systemText } from "./system-text.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type ResponsesBody = OpenAI.Responses.ResponseCreateParamsStreaming;

export interface ResponsesRequestOptions {
  readonly model: string;
  /** The model's full name, which seals the signatures of its thoughts. */
  readonly origin: string;
  /** Earlier thoughts are left out: the provider has refused one. */
  readonly withoutThoughts?: boolean;
}

/** What is kept of a reasoning item, as JSON, in a thought's signature. */
export interface KeptReasoning {
  readonly id: string;
  readonly encrypted: string;
}

// The API refuses less.
const leastOutputTokens = 16;

/** The body to send, what may vary between calls after what a provider keeps in its cache. */
export function toResponsesRequest(request: ModelRequest, options: ResponsesRequestOptions): ResponsesBody {
  const instructions = systemText(request.system);
  const history = toTurns(request.messages).flatMap((turn) => toItems(turn, options));
  return {
    model: options.model,
    store: false,
    stream: true,
    ...toTools(request),
    ...(instructions === "" ? {} : { instructions }),
    input: withTail(history, tailText(request)),
    max_output_tokens: Math.max(request.maxOutputTokens, leastOutputTokens),
  };
}

function toItems(turn: Turn, options: ResponsesRequestOptions): readonly Item[] {
  if (turn.role === "assistant") return turn.parts.flatMap((part) => assistantItem(part, options));
  const results = turn.results.map(
    (result): Item => ({ type: "function_call_output", call_id: result.callId, output: result.text }),
  );
  return turn.texts.length === 0 ? results : [...results, { role: "user", content: turn.texts.join("\n\n") }];
}

function withTail(items: readonly Item[], tail: string | null): Item[] {
  return tail === null ? [...items] : [...items, { role: "developer", content: tail }];
}

function assistantItem(part: AssistantPart, options: ResponsesRequestOptions): readonly Item[] {
  switch (part.type) {
    case "text":
      return [{ role: "assistant", content: part.text }];
    case "tool-call":
      return [
        { type: "function_call", call_id: part.callId, name: part.name, arguments: argumentsText(part.arguments) },
      ];
    case "thought":
      return options.withoutThoughts === true ? [] : reasoningItem(part.text, part.signature, options.origin);
  }
}

function reasoningItem(text: string, signature: string | undefined, origin: string): readonly Item[] {
  const kept = openSignature(origin, "reasoning", signature);
  if (kept === undefined) return [];
  const { id, encrypted } = JSON.parse(kept) as KeptReasoning;
  const summary = text === "" ? [] : [{ type: "summary_text" as const, text }];
  return [{ type: "reasoning", id, summary, encrypted_content: encrypted }];
}

function toTools(request: ModelRequest): Pick<ResponsesBody, "tools" | "tool_choice"> {
  if (request.tools.length === 0) return {};
  const tools = request.tools.map((tool) => ({
    type: "function" as const,
    name: wireToolName(tool.name),
    description: tool.description,
    parameters: wireSchema(tool.parameters),
    // This API defaults to strict, which demands schemas without optional properties.
    strict: false,
  }));
  return request.toolChoice === "required" ? { tools, tool_choice: "required" } : { tools };
}
