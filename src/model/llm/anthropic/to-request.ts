// Converts a neutral request to the body of Anthropic's Messages API.
// Invariant: pure; the result satisfies the API's rules for any history.
import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { storableText } from "../../../base/code-points.ts";
import type { Effort, ModelRequest, OutputFormat, ToolSpecification } from "../model.ts";
import type { WireFiles } from "../wire/load-files.ts";
import { limitWithThoughts, thinkingTokens } from "../wire/thinking.ts";
import {
  appendMerged,
  cachedForTexts,
  type AssistantPart,
  type StateMessage,
  type UserPart,
  toWireMessages,
  toWireMessagesWithState,
  type WireMessage,
} from "../wire/wire-messages.ts";
import { createRequestPrefix } from "./request-prefix.ts";
import { openSignature } from "../wire/thought-signature.ts";
import { argumentsObject, wireSchema, wireToolName } from "../wire/tool-json.ts";
import { type ClaudeRules, claudeRules } from "./claude-rules.ts";
import { type FileBlock, fileBlock, textBlock } from "./file-blocks.ts";

type Block = Anthropic.ContentBlockParam;

interface AnthropicMessage {
  /** `system`: a message of the runtime after a user's message; the SDK does not declare this role yet. */
  readonly role: "user" | "assistant" | "system";
  readonly content: Block[];
}

export interface AnthropicRequestOptions {
  readonly model: string;
  /** The model's full name, with which the signatures of its thoughts are stored. */
  readonly origin: string;
  /** If true, earlier thoughts are left out, because the provider refused the signature of one. */
  readonly withoutThoughts?: boolean;
  /** The request's files in wire form; if undefined, a note replaces every file. */
  readonly files?: WireFiles | undefined;
}

const breakpoint = { cache_control: { type: "ephemeral" } } as const;

/** A body with a temperature, which the SDK does not declare because the newest models refuse it. */
export type AnthropicBody = Anthropic.MessageCreateParamsStreaming & { readonly temperature?: number };

/**
 * Returns the body. Content that varies between calls comes after the cacheable prefix. Cache breakpoints (at most
 * four): after the last tool, the instructions, memory and the history.
 */
export function toAnthropicRequest(request: ModelRequest, options: AnthropicRequestOptions): AnthropicBody {
  const texts = toSystem(request);
  const start = { ...toTools(request, options), ...(texts.length === 0 ? {} : { system: texts }) };
  const messages = toMessages(request, options, start);
  const thinking = toThinking(request, messages, options);
  return {
    model: options.model,
    stream: true,
    ...start,
    messages: withBreakpoint(messages) as Anthropic.MessageParam[],
    ...thinking,
    ...toOutput(request, thinking, options),
    ...toTemperature(request, thinking, options),
  };
}

function toMessages(
  request: ModelRequest,
  options: AnthropicRequestOptions,
  start: Pick<Anthropic.MessageCreateParamsStreaming, "system" | "tools">,
): readonly AnthropicMessage[] {
  const { takesSystemMessages, isBound } = claudeRules(options.model);
  const wire = takesSystemMessages
    ? beforeReplies(toWireMessagesWithState(request.messages))
    : toWireMessages(request.messages);
  const prefix = isBound ? createRequestPrefix(start) : null;
  return wire.map((message) => {
    const sent =
      message.role === "state"
        ? stateMessage(message)
        : toMessage(
            message,
            prefix === null ? options : { ...options, origin: originOf(options.origin, prefix.name()) },
          );
    prefix?.add(sent);
    return sent;
  });
}

/**
 * Moves each state entry directly before the next reply, or to the end, because the API refuses a system message elsewhere
 * ("Mid-conversation system messages"). So the entries of a turn without a reply come after the next turn's message.
 */
function beforeReplies(wire: readonly (WireMessage | StateMessage)[]): readonly (WireMessage | StateMessage)[] {
  const placed: (WireMessage | StateMessage)[] = [];
  let held: string[] = [];
  const place = (): void => {
    if (held.length > 0) placed.push({ role: "state", text: held.join("\n\n") });
    held = [];
  };
  for (const message of wire) {
    if (message.role === "state") held.push(message.text);
    else {
      if (message.role === "assistant") place();
      appendMerged(placed, message);
    }
  }
  place();
  return placed;
}

/** Returns the origin of a reply's thoughts: the model and, if it binds thoughts to their prefix, the prefix's name. */
export function originOf(model: string, prefix: string | null): string {
  return prefix === null ? model : `${model} after ${prefix}`;
}

function toSystem({ system }: ModelRequest): Anthropic.TextBlockParam[] {
  return [system.instructions, system.memory]
    .filter((text) => text.trim() !== "")
    .map((text) => ({ type: "text", text: storableText(text), ...breakpoint }));
}

function toTools(
  request: ModelRequest,
  { model }: AnthropicRequestOptions,
): Pick<Anthropic.MessageCreateParamsStreaming, "tools" | "tool_choice"> {
  const { hasMemoryTool } = claudeRules(model);
  const tools = request.tools.map((tool) => toTool(tool, hasMemoryTool));
  const last = tools.at(-1);
  if (last === undefined) return stubTools(request);
  tools[tools.length - 1] = { ...last, ...breakpoint };
  return isForced(request, model) ? { tools, tool_choice: { type: "any" } } : { tools };
}

function isForced({ toolChoice, tools }: ModelRequest, model: string): boolean {
  return toolChoice === "required" && tools.length > 0 && claudeRules(model).canForceCalls;
}

function toTool(tool: ToolSpecification, hasMemoryTool: boolean): Anthropic.Tool | Anthropic.MemoryTool20250818 {
  if (hasMemoryTool && tool.anthropicType === "memory_20250818") return { type: tool.anthropicType, name: "memory" };
  return {
    name: wireToolName(tool.name),
    description: storableText(tool.description),
    input_schema: wireSchema(tool.parameters),
  };
}

// Declares the tools that the history calls, because the API refuses calls of undeclared tools. The model cannot call them.
function stubTools(request: ModelRequest): Pick<Anthropic.MessageCreateParamsStreaming, "tools" | "tool_choice"> {
  const parts = request.messages.flatMap((message) => message.content);
  const names = new Set(parts.filter((part) => part.type === "tool-call").map((part) => wireToolName(part.name)));
  if (names.size === 0) return {};
  const tools = [...names].map((name) => ({ name, input_schema: wireSchema({}) }));
  return { tools, tool_choice: { type: "none" } };
}

const toMessage = cachedForTexts(
  (message: WireMessage, options: AnthropicRequestOptions): AnthropicMessage => ({
    role: message.role,
    content:
      message.role === "user"
        ? userBlocks(message, options)
        : message.content.flatMap((part) => assistantBlock(part, options)),
  }),
);

function userBlocks(
  { results, content }: Extract<WireMessage, { role: "user" }>,
  { files }: AnthropicRequestOptions,
): Block[] {
  const resultBlocks = results.map((result): Block => {
    const failed = result.status === "failed" ? { is_error: true } : {};
    const attached = (result.files ?? []).map((file) => fileBlock(file, files));
    const shown = attached.length === 0 ? result.text : [textBlock(result.text), ...attached];
    return { type: "tool_result", tool_use_id: result.callId, content: shown, ...failed };
  });
  return [...resultBlocks, ...content.map((part) => userBlock(part, files))];
}

function userBlock(part: UserPart, files: WireFiles | undefined): FileBlock {
  return part.type === "file" ? fileBlock(part, files) : textBlock(part.text);
}

function assistantBlock(part: AssistantPart, options: AnthropicRequestOptions): readonly Block[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "tool-call":
      return [{ type: "tool_use", id: part.callId, name: part.name, input: argumentsObject(part.arguments) }];
    case "thought":
      return options.withoutThoughts === true ? [] : thoughtBlock(part.text, part.signature, options.origin);
  }
}

function thoughtBlock(text: string, sealed: string | undefined, origin: string): readonly Block[] {
  const signature = openSignature(origin, "thinking", sealed);
  if (signature !== undefined) return [{ type: "thinking", thinking: text, signature }];
  const data = openSignature(origin, "redacted", sealed);
  return data === undefined ? [] : [{ type: "redacted_thinking", data }];
}

function withBreakpoint(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last === undefined || block === undefined) return [...messages];
  const content = [...last.content.slice(0, -1), { ...block, ...breakpoint } as Block];
  return [...messages.slice(0, -1), { ...last, content }];
}

function stateMessage({ text }: StateMessage): AnthropicMessage {
  return { role: "system", content: [{ type: "text", text }] };
}

type Thinking = Pick<Anthropic.MessageCreateParamsStreaming, "max_tokens" | "thinking" | "output_config">;

/** Returns the token limit and the thinking of a request. The API refuses thinking together with a forced tool call. */
function toThinking(
  request: ModelRequest,
  messages: readonly AnthropicMessage[],
  { model }: AnthropicRequestOptions,
): Thinking {
  const rules = claudeRules(model);
  const effort = isForced(request, model) ? "off" : request.effort;
  if (rules.thinking === "adaptive") return adaptiveThinking(request, effort, rules);
  if (rules.thinking === "none" || effort === undefined || effort === "off" || continuesWithoutThought(messages))
    return { max_tokens: request.maxOutputTokens };
  const budget_tokens = thinkingTokens[effort];
  return {
    max_tokens: limitWithThoughts(request.maxOutputTokens, budget_tokens),
    thinking: { type: "enabled", budget_tokens },
  };
}

// Without `summarized`, the API leaves the texts of these models' thoughts empty, also between tool calls.
const adaptive = { type: "adaptive", display: "summarized" } as const;

function adaptiveThinking(
  { maxOutputTokens }: ModelRequest,
  effort: Effort | undefined,
  { thinksByDefault, least }: ClaudeRules,
): Thinking {
  if (effort === undefined && !thinksByDefault) return { max_tokens: maxOutputTokens };
  if (effort === "off" && least !== "effort") return { max_tokens: maxOutputTokens, thinking: { type: least } };
  const level = effort === "off" ? "low" : effort;
  return {
    max_tokens: limitWithThoughts(maxOutputTokens, thinkingTokens[level ?? "high"]),
    thinking: adaptive,
    ...(level === undefined ? {} : { output_config: { effort: level } }),
  };
}

/** Returns `output_config` with the reply's JSON Schema, and with the effort that `toThinking` put into this field. */
function toOutput(
  { output }: ModelRequest,
  { output_config: before }: Thinking,
  { model }: AnthropicRequestOptions,
): Pick<AnthropicBody, "output_config"> {
  const schema = output === undefined || !claudeRules(model).hasStructuredOutput ? null : schemaFor(output);
  return schema === null ? {} : { output_config: { ...before, format: { type: "json_schema", schema } } };
}

/** Returns the schema for the API; null if the API cannot enforce it. The model's caller checks each reply anyway. */
function schemaFor({ schema }: OutputFormat): Record<string, unknown> | null {
  try {
    return transformJSONSchema(schema);
  } catch {
    return null;
  }
}

function toTemperature(
  { temperature }: ModelRequest,
  { thinking }: Thinking,
  { model }: AnthropicRequestOptions,
): Pick<AnthropicBody, "temperature"> {
  const thinks = thinking?.type === "adaptive" || thinking?.type === "enabled";
  if (temperature === undefined || thinks || !claudeRules(model).hasTemperature) return {};
  // The API's maximum temperature is 1.
  return { temperature: Math.min(temperature, 1) };
}

// Returns whether the last chain of tool calls began without a thought: then the API refuses a thinking budget.
function continuesWithoutThought(messages: readonly AnthropicMessage[]): boolean {
  const [reply, results] = messages.filter(({ role }) => role !== "system").slice(-2);
  if (results?.content[0]?.type !== "tool_result") return false;
  const first = reply?.content[0]?.type;
  return first !== "thinking" && first !== "redacted_thinking";
}
