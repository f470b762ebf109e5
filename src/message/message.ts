// The neutral vocabulary of a conversation: what is stored, what a model is asked with and what it answers.
// Invariant: provider shapes never appear here; adapters translate at the boundary, and only there.
import { fileLabel, type FilePart } from "./file-part.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** What the model thought aloud. `signature` is the provider's own and is sent back unchanged. */
export interface ThoughtPart {
  readonly type: "thought";
  readonly text: string;
  readonly signature?: string;
}

/** A tool that the model asked for. `arguments` is the JSON text as the model wrote it, whole or malformed. */
export interface ToolCallPart {
  readonly type: "tool-call";
  /** The provider's id of the call; pairs it with its result. Unique within its message. */
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a tool returned. Every tool call in a request is followed by exactly one. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  readonly name: string;
  readonly status: "ok" | "failed";
  readonly text: string;
  readonly files?: readonly FilePart[];
}

export type ContentPart = TextPart | FilePart | ThoughtPart | ToolCallPart | ToolResultPart;

export type Role = "user" | "assistant" | "tool";

/** One message as a model is sent it. `tool` messages hold tool results only. */
export interface Message {
  readonly role: Role;
  readonly content: readonly ContentPart[];
}

/**
 * How far a text can be trusted, by what it was made from; highest first. `user`: said or written by the person, or by the
 * program through the API. `model`: written by the model from nothing lower. `external`: made from something that came from
 * outside: what a tool brought in, an imported file, a loaded document.
 */
export type Trust = "user" | "model" | "external";

/**
 * Something from outside that was in a window when the model was called, by reference. `tool`: a tool's result; `file`: files of
 * a user's message; `message`: an imported message, or a reply made from something outside that has left the window; `summary`:
 * what stands for such messages; `module`: a section of core memory; `prompt`: core memory as the prompt still shows it;
 * `synopsis`; `passage`: what a search found or the runtime looked up.
 */
export interface ExternalSource {
  readonly kind: "tool" | "file" | "message" | "summary" | "module" | "prompt" | "synopsis" | "passage";
  /** Of the message, the compaction or the passage, or the section's label; empty for the prompt and the synopsis. */
  readonly id: string;
  /** The tool's. */
  readonly name?: string;
}

/** Returns the sources in words, each kind once: `result of fetch_page (2), summary`. */
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
      return `section ${id}`;
    case "prompt":
      return "earlier core memory in the prompt";
    case "synopsis":
      return "synopsis";
    case "passage":
      return "memory found";
  }
}

/** Tokens of one model call, as the provider reports them. `input` includes what was read from a cache. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** One request: its tokens as they were estimated, without any correction, and the input tokens that the provider reported. */
export interface UsageSample {
  readonly estimated: number;
  readonly reported: number;
}

/** Dollars per million tokens of a model. */
export interface ModelPrice {
  readonly input: number;
  /** Of input that the provider had in its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

/** What the tokens cost, in dollars. */
export function dollarsOf({ inputTokens, cachedInputTokens, outputTokens }: Usage, price: ModelPrice): number {
  const fresh = inputTokens - cachedInputTokens;
  return (fresh * price.input + cachedInputTokens * price.cachedInput + outputTokens * price.output) / 1_000_000;
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  };
}

/** The text parts of a message, joined. Thoughts, calls and results are left out. */
export function textOf(message: { readonly content: readonly ContentPart[] }): string {
  return message.content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
}

/** The text parts, and a line with the names of the files, if any: what a person sees of a message of their own. */
export function textWithFiles(message: { readonly content: readonly ContentPart[] }): string {
  const labels = message.content.filter((part) => part.type === "file").map(fileLabel);
  return [textOf(message), labels.join(" ")].filter((text) => text !== "").join("\n");
}

/** The files of a message: a user's own, or those that tools have returned. */
export function filesOf(message: { readonly content: readonly ContentPart[] }): readonly FilePart[] {
  return message.content.flatMap((part) => {
    if (part.type === "file") return [part];
    return part.type === "tool-result" ? (part.files ?? []) : [];
  });
}

/** Whether any of the messages has a file. */
export function hasFiles(messages: readonly { readonly content: readonly ContentPart[] }[]): boolean {
  return messages.some((message) => filesOf(message).length > 0);
}

export function toolCallsOf(message: { readonly content: readonly ContentPart[] }): readonly ToolCallPart[] {
  return message.content.filter((part) => part.type === "tool-call");
}
