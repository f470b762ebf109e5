// Defines the provider-neutral format of messages, for storage, requests and replies.
// Invariant: no provider's format appears here; only the adapters convert.
import { fileLabel, type FilePart } from "./file-part.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A visible thought of the model. `signature` is the provider's value, sent back unchanged. */
export interface ThoughtPart {
  readonly type: "thought";
  readonly text: string;
  readonly signature?: string;
}

/** A tool call by the model. `arguments`: the model's text, small mistakes repaired; the text may be invalid JSON. */
export interface ToolCallPart {
  readonly type: "tool-call";
  /** The provider's id of the call, which its result repeats. Unique within its message. */
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** The output that the code of a tool printed. The model does not see it. */
export interface PrintedOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** The result of a tool. Every tool call in a request is followed by exactly one result. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  readonly name: string;
  readonly status: "ok" | "failed";
  readonly text: string;
  readonly files?: readonly FilePart[];
  /** Absent for a tool that prints nothing. */
  readonly printed?: PrintedOutput;
}

/**
 * The runtime's text about the agent's state, marked with a key of the conversation. It is part of requests only: it is not
 * stored as content.
 */
export interface StatePart {
  readonly type: "state";
  readonly text: string;
  /** The text consists of retrieved items, which stay with their message even if the request puts state entries elsewhere. */
  readonly isMaterial?: true;
}

export type ContentPart = TextPart | FilePart | ThoughtPart | ToolCallPart | ToolResultPart | StatePart;

export type Role = "user" | "assistant" | "tool";

/** One message as sent to a model. `tool` messages contain tool results only. */
export interface Message {
  readonly role: Role;
  readonly content: readonly ContentPart[];
}

/**
 * How far a text can be trusted, by its sources; the highest class first. `user`: written by the user, or by the
 * program through the API. `model`: written by the model, but not derived from external text. `external`: from outside,
 * such as a tool's result, an imported file or a loaded document, or derived from such a text.
 */
export type Trust = "user" | "model" | "external";

const trustOrder: readonly Trust[] = ["user", "model", "external"];

/** Returns the trust of a text that is made from texts of these classes: the lowest class; `user` if there are none. */
export function lowestTrust(classes: Iterable<Trust>): Trust {
  let lowest: Trust = "user";
  for (const trust of classes) if (trustOrder.indexOf(trust) > trustOrder.indexOf(lowest)) lowest = trust;
  return lowest;
}

/**
 * A reference to an external text that was in the window of a model call. `tool`: a tool's result; `file`: files of a user's
 * message; `message`: an imported message, or a reply derived from external text that has left the window; `summary`: a
 * summary of such messages; `module`: a module of core memory; `prompt`: older core memory that the prompt contains;
 * `synopsis`; `passage`: a search hit or a retrieved item.
 */
export interface ExternalSource {
  readonly kind: "tool" | "file" | "message" | "summary" | "module" | "prompt" | "synopsis" | "passage";
  /** The id of the message, compaction or passage, or the module's label; empty for the prompt and the synopsis. */
  readonly id: string;
  /** The name of the tool; absent for other kinds. */
  readonly name?: string;
}

/** Returns the sources as text, each kind once: `result of fetch_page (2), summary`. */
export function externalText(sources: readonly ExternalSource[]): string {
  const words = sources.map(sourceWords);
  return [...new Set(words)]
    .map((word) => {
      const count = words.filter((one) => one === word).length;
      return count === 1 ? word : `${word} (${count})`;
    })
    .join(", ");
}

function sourceWords({ kind, id, name = "a tool" }: ExternalSource): string {
  switch (kind) {
    case "tool":
      return `result of ${name}`;
    case "file":
      return "file of a message";
    case "message":
      return "message";
    case "summary":
      return "summary";
    case "module":
      return `module ${id}`;
    case "prompt":
      return "earlier core memory in the prompt";
    case "synopsis":
      return "synopsis";
    case "passage":
      return "memory found";
  }
}

/** Tokens of one or more model calls, as reported by the provider. `inputTokens` includes cached tokens. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** Present if a call was interrupted before the provider reported its tokens, so that the runtime estimated some. */
  readonly isEstimated?: true;
  /** Number of earlier thoughts that the provider did not accept; absent for none. */
  readonly droppedThoughts?: number;
  /** Why the provider's cache did not contain the beginning of the request, in the provider's term; absent if not reported. */
  readonly cacheMiss?: string;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** The tokens of one request: as estimated, without calibration, and the input tokens that the provider reported. */
export interface UsageSample {
  readonly estimated: number;
  readonly reported: number;
}

/**
 * Where the size of a window comes from: a setting; the model's server; an error in which the server named the size;
 * the provider's usual size, because the server states none; or the model itself.
 */
export type WindowSource = "setting" | "server" | "overflow" | "default" | "model";

/** Prices of a model, in dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** The price of cached input, in dollars per million tokens. */
  readonly cachedInput: number;
  readonly output: number;
  /** The day of a provider's list price, `2026-11-27`; absent for a configured price. */
  readonly listedAt?: string | undefined;
}

/** Returns the cost of the tokens in dollars. */
export function dollarsOf({ inputTokens, cachedInputTokens, outputTokens }: Usage, price: ModelPrice): number {
  const fresh = inputTokens - cachedInputTokens;
  return (fresh * price.input + cachedInputTokens * price.cachedInput + outputTokens * price.output) / 1_000_000;
}

/** Returns the sum of two usages. If both have a reason for a cache miss, the sum has the reason of the second. */
export function addUsage(one: Usage, other: Usage): Usage {
  const droppedThoughts = (one.droppedThoughts ?? 0) + (other.droppedThoughts ?? 0);
  const cacheMiss = other.cacheMiss ?? one.cacheMiss;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    ...(one.isEstimated === true || other.isEstimated === true ? { isEstimated: true } : {}),
    ...(droppedThoughts === 0 ? {} : { droppedThoughts }),
    ...(cacheMiss === undefined ? {} : { cacheMiss }),
  };
}

/** Returns the joined text parts of a message, without thoughts, calls and results. */
export function textOf(message: { readonly content: readonly ContentPart[] }): string {
  return message.content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
}

/** Returns the text parts and a line with the labels of the files, if any: the user's view of a sent message. */
export function textWithFiles(message: { readonly content: readonly ContentPart[] }): string {
  const labels = message.content.filter((part) => part.type === "file").map(fileLabel);
  return [textOf(message), labels.join(" ")].filter((text) => text !== "").join("\n");
}

/** Returns the files of a message: the user's, or those that tools returned. */
export function filesOf(message: { readonly content: readonly ContentPart[] }): readonly FilePart[] {
  return message.content.flatMap((part) => {
    if (part.type === "file") return [part];
    return part.type === "tool-result" ? (part.files ?? []) : [];
  });
}

/** Returns whether any of the messages has a file. */
export function hasFiles(messages: readonly { readonly content: readonly ContentPart[] }[]): boolean {
  return messages.some(({ content }) => content.some(isWithFile));
}

function isWithFile(part: ContentPart): boolean {
  return part.type === "file" || (part.type === "tool-result" && (part.files ?? []).length > 0);
}

export function toolCallsOf(message: { readonly content: readonly ContentPart[] }): readonly ToolCallPart[] {
  return message.content.filter((part) => part.type === "tool-call");
}
