// Checks a request of `/openai/v1/chat/completions`, and returns the part that becomes the input of a turn.
// Invariant: only messages after the last reply are input; the agent has the others in its own memory and window.
import * as z from "zod";
import type { CallResult, SentMessage } from "../../../agent/turn-options.ts";
import { invalidField } from "../fault.ts";
import { filesOf, requireTexts, type SentPart } from "../sent-file.ts";
import { type ModelInput, textFormat, toolChoice } from "./model-turn.ts";

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
  file: z.looseObject({ file_data: z.string().nullish(), filename: z.string().nullish() }).optional(),
});

const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_call_id: z.string().optional(),
});

const tool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal("object") }).optional(),
  }),
});

/**
 * Accepts sampling options and other fields without effect, because the agent has its own settings. Refuses values that
 * would change the form of the answer, because the client relies on this form when it reads the answer.
 */
export const chatRequest = z.looseObject({
  model: z.string().describe("The name or the id of an agent."),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice,
  response_format: textFormat,
  n: z.literal(1, "Expected one choice: an agent gives one answer. Leave `n` out.").nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});

export type ChatRequest = z.output<typeof chatRequest>;
type ChatMessage = ChatRequest["messages"][number];

/**
 * Returns the input of a turn. Throws Fault `request_invalid` if the request ends with a reply or contains nothing to answer, or
 * if a tool's result names no call.
 */
export function inputOf({ messages, tools, tool_choice: choice }: ChatRequest): ModelInput {
  const lastAt = messages.findLastIndex(({ role }) => role === "assistant");
  const later = messages.map((one, at) => ({ ...one, field: `body.messages.${at}.content` })).slice(lastAt + 1);
  const results = later.filter(({ role }) => role === "tool").map(resultOf);
  const sent = later.filter(({ role }) => role === "user").map(sentOf);
  if (results.length + sent.length === 0) {
    throw invalidField("messages", "Expected a message of the user, or results of tools, after the last reply.");
  }
  return {
    lastReply: lastAt === -1 ? null : textOf(messages[lastAt]?.content),
    messages: sent,
    results,
    instructions: "",
    clientTools: (choice === "none" ? [] : (tools ?? [])).map(({ function: { name, description, parameters } }) => {
      return { name, description: description ?? name, parameters: parameters ?? { type: "object", properties: {} } };
    }),
  };
}

interface NewMessage extends ChatMessage {
  /** The name of the request's field with the content, for errors. */
  readonly field: string;
}

function resultOf({ tool_call_id: callId, content, field }: NewMessage): CallResult {
  if (callId === undefined) throw invalidField("messages", "Expected `tool_call_id` in a message of a tool.");
  requireTexts(partsOf(content), field);
  return { callId, status: "ok", text: textOf(content) };
}

function sentOf({ content, field }: NewMessage): SentMessage {
  const files = filesOf(partsOf(content), field);
  return { text: textOf(content), ...(files.length === 0 ? {} : { files }) };
}

function partsOf(content: ChatMessage["content"]): readonly SentPart[] {
  if (typeof content === "string") return [];
  return (content ?? []).map(({ text, image_url: image, file }) => {
    return { text, url: image?.url, data: file?.file_data, name: file?.filename };
  });
}

export function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}
