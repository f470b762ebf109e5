// Converts a neutral request to the body of OpenAI's Responses API.
// Invariant: pure; nothing is stored at the provider; each call's output precedes any later text.
import { appendAll } from "../../../base/lists.ts";
import type OpenAI from "openai";
import { storableText } from "../../../base/code-points.ts";
import type { ModelRequest } from "../model.ts";
import { type FilePart, isPdf } from "../../../base/message/file-part.ts";
import { documentText, type WireFiles, wireFileOf } from "../wire/load-files.ts";
import { openSignature } from "../wire/thought-signature.ts";
import { argumentsText, wireSchema, wireToolName } from "../wire/tool-json.ts";
import {
  cachedForTexts,
  type AssistantPart,
  systemText,
  type UserPart,
  toWireMessagesWithState,
  type WireMessage,
} from "../wire/wire-messages.ts";
import { effortWord, reasoningTokens, otherRules, takesTemperature } from "./openai-rules.ts";
import type { ChatRequestOptions } from "./to-chat-request.ts";
import { wireFormat } from "./output-format.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type ResponsesBody = OpenAI.Responses.ResponseCreateParamsStreaming;

export interface ResponsesRequestOptions extends Pick<ChatRequestOptions, "model" | "rules" | "files"> {
  /** The model's full name, with which the signatures of its thoughts are stored. */
  readonly origin: string;
  /** If true, earlier thoughts are left out, because the provider refused one. */
  readonly withoutThoughts?: boolean;
}

// The API's minimum of `max_output_tokens`.
const minOutputTokens = 16;

/** Returns the body. Content that varies between calls comes after the cacheable prefix. */
export function toResponsesRequest(request: ModelRequest, options: ResponsesRequestOptions): ResponsesBody {
  const instructions = systemText(request.system);
  const { rules = otherRules } = options;
  const effort = effortWord(request.effort, rules);
  const format = request.output && wireFormat(request.output, rules);
  const history: Item[] = [];
  for (const message of toWireMessagesWithState(request.messages)) {
    // State entries have the role `developer`, which no content has.
    if (message.role === "state") history.push({ role: "developer", content: message.text });
    else appendAll(history, toItems(message, options));
  }
  return {
    model: options.model,
    store: false,
    stream: true,
    ...toTools(request),
    ...(instructions === "" ? {} : { instructions }),
    input: history,
    max_output_tokens: Math.max(request.maxOutputTokens + reasoningTokens(effort, rules), minOutputTokens),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(takesTemperature(effort, rules) && request.temperature !== undefined
      ? { temperature: request.temperature }
      : {}),
    ...(format === undefined ? {} : { text: { format: { type: "json_schema" as const, ...format } } }),
    ...(rules.hasCacheKey && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey } : {}),
  };
}

const toItems = cachedForTexts((message: WireMessage, options: ResponsesRequestOptions): readonly Item[] => {
  if (message.role === "assistant") return message.content.flatMap((part) => assistantItem(part, options));
  const results = message.results.map(
    ({ callId, text, files = [] }): Item => ({
      type: "function_call_output",
      call_id: callId,
      output: contentOf([{ type: "text", text }, ...files], options.files),
    }),
  );
  return message.content.length === 0
    ? results
    : [...results, { role: "user", content: contentOf(message.content, options.files) }];
});

type InputPart =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile;

/** Returns the content of a message; without files it is a string. */
function contentOf(content: readonly UserPart[], files: WireFiles | undefined): string | InputPart[] {
  const parts = content.map((part) => (part.type === "file" ? inputPart(part, files) : inputText(part.text)));
  const texts = parts.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function inputText(text: string): OpenAI.Responses.ResponseInputText {
  return { type: "input_text", text };
}

function inputPart(file: FilePart, files: WireFiles | undefined): InputPart {
  const wire = wireFileOf(files, file);
  if (wire.type === "note") return inputText(wire.text);
  if (wire.type === "document") return inputText(documentText(wire));
  const url = wire.type === "url" ? wire.url : `data:${wire.mediaType};base64,${wire.base64}`;
  if (!isPdf(wire)) return { type: "input_image", detail: "auto", image_url: url };
  return wire.type === "url"
    ? { type: "input_file", file_url: url }
    : { type: "input_file", filename: wire.name, file_data: url };
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
      return options.withoutThoughts === true ? [] : reasoningItem(part.signature, options.origin);
  }
}

/** Returns a thought as an item of the request: the signature contains the whole item, as the API returned it. */
function reasoningItem(signature: string | undefined, origin: string): readonly Item[] {
  const kept = openSignature(origin, "reasoning-item", signature);
  return kept === undefined ? [] : [JSON.parse(kept) as OpenAI.Responses.ResponseReasoningItem];
}

function toTools(request: ModelRequest): Pick<ResponsesBody, "tools" | "tool_choice"> {
  if (request.tools.length === 0) return {};
  const tools = request.tools.map((tool) => ({
    type: "function" as const,
    name: wireToolName(tool.name),
    description: storableText(tool.description),
    parameters: wireSchema(tool.parameters),
    // This API defaults to strict, which requires schemas without optional properties.
    strict: false,
  }));
  return request.toolChoice === "required" ? { tools, tool_choice: "required" } : { tools };
}
