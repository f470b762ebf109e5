// Checks a request of `/openai/v1/responses`, and returns the part that becomes the input of a turn.
// Invariant: pure; only the items after the last reply are input, because the agent has the others in its own memory
// and window.
import * as z from "zod";
import type { CallResult, SentMessage } from "../../../agent/turn-options.ts";
import { invalidField } from "../fault.ts";
import { filesOf, requireTexts, type SentPart } from "../sent-file.ts";
import { type ModelInput, textFormat, toolChoice } from "./model-turn.ts";

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.string().nullish(),
  file_url: z.string().nullish(),
  file_data: z.string().nullish(),
  filename: z.string().nullish(),
});

const content = z.union([z.string(), z.array(part)]);

const item = z.looseObject({
  /** The type of the item; absent for a message, and possibly for a reference, which has only an id. */
  type: z.string().nullish(),
  id: z.string().nullish(),
  role: z.enum(["user", "assistant", "system", "developer"]).optional(),
  content: content.nullish(),
  call_id: z.string().optional(),
  output: content.optional(),
});

const tool = z.looseObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({ type: z.literal("object") }).nullish(),
});

/**
 * Accepts sampling options and other fields without effect, because the agent has its own settings. Refuses values that
 * would change the form of the answer, because the client relies on this form when it reads the answer.
 */
export const responsesRequest = z.looseObject({
  model: z.string().describe("The name or the id of an agent."),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish().describe("Added to the agent's own prompt, for this response only."),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  stream: z.boolean().nullish(),
  background: z.literal(false).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice,
  text: z.looseObject({ format: textFormat }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});

export type ResponsesRequest = z.output<typeof responsesRequest>;
type Item = z.output<typeof item>;
type Content = z.output<typeof content> | null | undefined;

/** Returns the input of a turn. Throws Fault `request_invalid` if there is nothing to answer. */
export function inputOf(request: ResponsesRequest): ModelInput {
  const { input, instructions, tools, tool_choice: choice } = request;
  const items: readonly Item[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const lastAt = items.findLastIndex(isReply);
  const later = items.map((one, at) => ({ ...one, field: `body.input.${at}` })).slice(lastAt + 1);
  const results = later.filter(({ type }) => type === "function_call_output").map(resultOf);
  const messages = later.filter(({ role }) => role === "user").map(sentOf);
  if (results.length + messages.length === 0) {
    throw invalidField("body.input", "Expected a message of the user, or outputs of functions, after the last reply.");
  }
  const programs = items.filter(({ role }) => role === "system" || role === "developer");
  const texts = [instructions ?? "", ...programs.map((one) => textOf(one.content))];
  return {
    lastReply: lastAt === -1 ? null : textOf(items[lastAt]?.content),
    messages,
    results,
    instructions: texts.filter((text) => text.trim() !== "").join("\n\n"),
    clientTools: (choice === "none" ? [] : (tools ?? [])).map(({ name, description, parameters }) => {
      return { name, description: description ?? name, parameters: parameters ?? { type: "object", properties: {} } };
    }),
  };
}

function isReply(one: Item): boolean {
  return one.role === "assistant" || one.type === "function_call" || one.type === "reasoning" || isReference(one);
}

/** Returns whether an item only refers to an item of an earlier output by its id. */
function isReference({ type, role, id }: Item): boolean {
  return type === "item_reference" || ((type ?? role ?? null) === null && (id ?? null) !== null);
}

/**
 * Returns the id by which a request names the response after which it continues: the response's id, or that of an item.
 * `field`: the field of the request that holds the id. Null if the request names no response.
 */
export function previousOf({ previous_response_id: previous, input }: ResponsesRequest): NamedReply | null {
  if ((previous ?? null) !== null) return { id: previous as string, field: "previous_response_id" };
  const last = typeof input === "string" ? undefined : input.findLast(isReply);
  return last !== undefined && isReference(last) ? { id: last.id ?? "", field: "body.input" } : null;
}

export interface NamedReply {
  readonly id: string;
  readonly field: string;
}

interface NewItem extends Item {
  /** The name of the request's field with the item, for errors. */
  readonly field: string;
}

function resultOf({ call_id: callId, output, field }: NewItem): CallResult {
  if (callId === undefined) throw invalidField("body.input", "Expected `call_id` in an output of a function.");
  requireTexts(partsOf(output), `${field}.output`);
  return { callId, status: "ok", text: textOf(output) };
}

function sentOf({ content: given, field }: NewItem): SentMessage {
  const files = filesOf(partsOf(given), `${field}.content`);
  return { text: textOf(given), ...(files.length === 0 ? {} : { files }) };
}

function partsOf(given: Content): readonly SentPart[] {
  if (typeof given === "string") return [];
  return (given ?? []).map(({ text, image_url: image, file_url: file, file_data: data, filename: name }) => {
    return { text, url: image ?? file, data, name };
  });
}

function textOf(given: Content): string {
  if (typeof given === "string") return given;
  return (given ?? []).flatMap(({ text }) => text ?? []).join("\n");
}

/** Returns the id of the conversation that a request names; null if it names none. */
export function conversationOf({ conversation, previous_response_id: previous }: ResponsesRequest): string | null {
  const named = typeof conversation === "string" ? conversation : (conversation?.id ?? null);
  if (named !== null && (previous ?? null) !== null) {
    throw invalidField("body.conversation", "Expected `conversation` or `previous_response_id`, got both.");
  }
  return named;
}
