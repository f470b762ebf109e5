// Converts a neutral request to the body of the Chat Completions API, for OpenAI and compatible servers.
// Invariant: pure; every tool message directly follows the assistant message with its call; no content is empty.
import type OpenAI from "openai";
import { storableText } from "../../../base/code-points.ts";
import { parseJson } from "../../../base/json-values.ts";
import type { ModelRequest } from "../model.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import { documentText, type WireFiles, wireFileOf } from "../wire/load-files.ts";
import { openSignature } from "../wire/thought-signature.ts";
import { argumentsText, wireSchema, wireToolName } from "../wire/tool-json.ts";
import {
  type AssistantPart,
  cachedForTexts,
  systemText,
  type StateMessage,
  type UserPart,
  toWireMessages,
  toWireMessagesWithState,
  type WireMessage,
  withStateInResults,
  withTextAfterResults,
} from "../wire/wire-messages.ts";
import { audioFormatOf } from "./file-rules.ts";
import { effortWord, reasoningTokens, type OpenAIRules, otherRules, takesTemperature } from "./openai-rules.ts";
import { extraKind, reasoningKind } from "./from-chat-stream.ts";
import { wireFormat } from "./output-format.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam & { readonly [reasoningKind]?: string };
type ChatBody = OpenAI.ChatCompletionCreateParamsStreaming;

export interface ChatRequestOptions {
  readonly model: string;
  /** The model's full name, which the signatures of its thoughts contain. Default: no thought is sent back. */
  readonly origin?: string;
  /** The rules of the model. Default: those of an unknown server. */
  readonly rules?: OpenAIRules;
  /** OpenAI's reasoning models refuse `max_tokens`; most compatible servers support only `max_tokens`. */
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /**
   * `system`: a state entry is a separate system message, which content cannot imitate. `joined`: a state entry is
   * appended to the previous message, because many servers refuse a system message that is not first, move it to the
   * beginning, or require a final user message.
   */
  readonly stateChannel: "system" | "joined";
  /** The request's files in wire form; if undefined, a note replaces every file. */
  readonly files?: WireFiles | undefined;
}

/**
 * Returns the body. Content that varies between calls comes after the cacheable prefix. OpenAI's API does not accept
 * thoughts, so they are omitted. Only a server that sent `reasoning_content` with calls gets them back, because such a
 * server may refuse a reply without this field (DeepSeek, "Thinking mode").
 */
export function toChatRequest(request: ModelRequest, options: ChatRequestOptions): ChatBody {
  const history = toHistory(request, options);
  const { rules = otherRules } = options;
  const format = request.output && wireFormat(request.output, rules);
  const effort = rules.answersOnlyInChat && request.tools.length > 0 ? "none" : effortWord(request.effort, rules);
  return {
    model: options.model,
    stream: true,
    stream_options: { include_usage: true },
    ...toTools(request),
    messages: [...systemMessage(request), ...history],
    [options.limitField]: request.maxOutputTokens + reasoningTokens(effort, rules),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(takesTemperature(effort, rules) && request.temperature !== undefined
      ? { temperature: request.temperature }
      : {}),
    ...(format === undefined ? {} : { response_format: { type: "json_schema" as const, json_schema: format } }),
    ...(rules.hasCacheKey && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey } : {}),
  };
}

function toHistory({ messages }: ModelRequest, options: ChatRequestOptions): readonly ChatMessage[] {
  const { stateChannel, origin, rules = otherRules } = options;
  const wire =
    stateChannel === "system" ? toWireMessagesWithState(messages) : withTextAfterResults(toWireMessages(messages));
  const history: ChatMessage[] = [];
  const returnsThoughts = rules.requiresThoughts || wire.some((message) => sealedThoughts(message, origin) !== null);
  // A loop, because `flatMap` takes several times as long.
  for (const message of wire) {
    if (message.role === "state") history.push({ role: "system", content: message.text });
    else
      for (const sent of toMessages(message, options))
        history.push(
          returnsThoughts && sent.role === "assistant"
            ? { ...sent, [reasoningKind]: sealedThoughts(message, origin) ?? "" }
            : sent,
        );
  }
  return history;
}

/** Returns the text of a reply's thoughts; null if none of them has a signature of this model. */
function sealedThoughts(message: WireMessage | StateMessage, origin = ""): string | null {
  if (message.role !== "assistant") return null;
  const thoughts = message.content.filter((part) => part.type === "thought");
  const isSealed = thoughts.some(({ signature }) => openSignature(origin, reasoningKind, signature) !== undefined);
  return isSealed ? thoughts.map(({ text }) => text).join("") : null;
}

function systemMessage({ system }: ModelRequest): readonly ChatMessage[] {
  const content = systemText(system);
  return content === "" ? [] : [{ role: "system", content }];
}

const toMessages = cachedForTexts((sent: WireMessage, options: ChatRequestOptions): readonly ChatMessage[] => {
  if (sent.role === "assistant") return assistantMessages(sent, options);
  const message = withStateInResults(sent);
  const results = message.results.map(
    (result): ChatMessage => ({ role: "tool", tool_call_id: result.callId, content: result.text }),
  );
  // The API does not accept files in a tool message, so files that tools returned are put at the start of the user message.
  const returned = message.results.flatMap(({ name, files: attached = [] }) =>
    attached.length === 0 ? [] : [text(`[${wireToolName(name)} returned:]`), ...attached],
  );
  const content = userContent([...returned, ...message.content], options.files);
  return content.length === 0 ? results : [...results, { role: "user", content }];
});

function text(of: string): UserPart {
  return { type: "text", text: of };
}

type ChatPart = OpenAI.ChatCompletionContentPart;

/** Returns the content of a user message; without files it is a string, which every compatible server accepts. */
function userContent(content: readonly UserPart[], files: WireFiles | undefined): string | ChatPart[] {
  const parts = content.map(
    (part): ChatPart => (part.type === "file" ? filePart(part, files) : { type: "text", text: part.text }),
  );
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function filePart(file: FilePart, files: WireFiles | undefined): ChatPart {
  const wire = wireFileOf(files, file);
  if (wire.type === "note") return { type: "text", text: wire.text };
  if (wire.type === "document") return { type: "text", text: documentText(wire) };
  if (wire.type === "url") return { type: "image_url", image_url: { url: wire.url } };
  const { mediaType, base64, name } = wire;
  const url = `data:${mediaType};base64,${base64}`;
  if (mediaType === "application/pdf") return { type: "file", file: { filename: name, file_data: url } };
  const format = audioFormatOf(wire);
  return format === undefined
    ? { type: "image_url", image_url: { url } }
    : { type: "input_audio", input_audio: { data: base64, format } };
}

function assistantMessages(
  { content: parts }: Extract<WireMessage, { role: "assistant" }>,
  options: ChatRequestOptions,
): readonly ChatMessage[] {
  const texts = parts.filter((part) => part.type === "text").map((part) => part.text);
  const firstCall = parts.findIndex(({ type }) => type === "tool-call");
  const calls = parts.flatMap((part, at) => {
    if (part.type !== "tool-call") return [];
    const call = { name: part.name, arguments: argumentsText(part.arguments) };
    const extra = extraOf(parts[at - 1], at === firstCall, options);
    return [{ id: part.callId, type: "function" as const, function: call, ...extra }];
  });
  const content = texts.length === 0 ? null : texts.join("\n\n");
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

/**
 * Returns the call's field `extra_content`, which the thought before the call contains. Gemini 3 refuses a reply whose first
 * call lacks the field (ai.google.dev, "Thought signatures"), so calls of other models get the value that skips the check.
 */
function extraOf(
  before: AssistantPart | undefined,
  isFirst: boolean,
  { origin = "", rules = otherRules }: ChatRequestOptions,
): { readonly [extraKind]?: unknown } {
  const sealed = before?.type === "thought" ? openSignature(origin, extraKind, before.signature) : undefined;
  if (sealed !== undefined) return { [extraKind]: parseJson(sealed) };
  const skipped = { google: { thought_signature: "skip_thought_signature_validator" } };
  return isFirst && rules.requiresSignatures ? { [extraKind]: skipped } : {};
}

function toTools(request: ModelRequest): Pick<ChatBody, "tools" | "tool_choice"> {
  if (request.tools.length === 0) return {};
  const tools = request.tools.map((tool) => ({
    type: "function" as const,
    function: {
      name: wireToolName(tool.name),
      description: storableText(tool.description),
      parameters: wireSchema(tool.parameters),
    },
  }));
  return request.toolChoice === "required" ? { tools, tool_choice: "required" } : { tools };
}
