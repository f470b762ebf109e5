// Reads the content of a message of Letta: its texts, thoughts and files, and the envelopes that Letta puts around texts.
// Invariant: pure; a text that is not an envelope is returned unchanged.
import { type JsonObject, parseObject } from "../../base/json-values.ts";
import type { ContentPart } from "../../base/message/message.ts";
import { listAt, textAt } from "../json-fields.ts";
import type { LettaMessage } from "./letta-form.ts";

/** Returns the texts and thoughts of a message, with a note instead of each image. */
export function partsOf({ content, text }: LettaMessage): readonly ContentPart[] {
  if (typeof content === "string") return textParts(content);
  if (content === null || content === undefined || content.length === 0) return textParts(text ?? "");
  return content.flatMap(partOf);
}

type LettaPart = Readonly<Record<string, unknown>> & { readonly type: string };

function partOf(part: LettaPart): readonly ContentPart[] {
  switch (part.type) {
    case "text":
      return textParts(textAt(part, "text"));
    case "reasoning":
    case "summarized_reasoning":
      return thoughtParts(part);
    case "image":
      return textParts("[image: not moved]");
    default:
      // Hidden reasoning has no text, and calls and their results are stored beside the content.
      return [];
  }
}

// The provider's signature is left out, because only the server that made the thought can check it.
function thoughtParts(part: LettaPart): readonly ContentPart[] {
  const texts = [textAt(part, "reasoning"), ...listAt(part, "summary").map((one) => textAt(one, "text"))].filter(
    isFilled,
  );
  return texts.length === 0 ? [] : [{ type: "thought", text: texts.join("\n") }];
}

function textParts(text: string): readonly ContentPart[] {
  return isFilled(text) ? [{ type: "text", text }] : [];
}

function isFilled(text: string): boolean {
  return text.trim() !== "";
}

/** Returns the joined texts of the parts, without thoughts. */
export function plainText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A text in an envelope of the older agents: `{"type": "user_message", "message": …, "time": …}`. */
export interface Envelope {
  readonly type: string;
  readonly message: string;
  readonly name: string | null;
}

/** Returns the envelope in a text; null if there is none. */
export function envelopeOf(text: string): Envelope | null {
  const value = parsed(text);
  if (typeof value?.["type"] !== "string") return null;
  const message = value["message"] ?? value["reason"] ?? "";
  const name = typeof value["name"] === "string" && value["name"].trim() !== "" ? value["name"] : null;
  return { type: value["type"], message: typeof message === "string" ? message : JSON.stringify(message), name };
}

/** Returns the text of a tool's result, which has an envelope with its status, and whether the tool failed. */
export function resultOf(text: string): { readonly text: string; readonly isFailed: boolean } {
  const value = parsed(text);
  if (typeof value?.["status"] !== "string" || !("message" in value)) return { text, isFailed: false };
  const { message } = value;
  const isFailed = !/^(?:ok|success)$/iu.test(value["status"]);
  return { text: typeof message === "string" ? message : JSON.stringify(message ?? ""), isFailed };
}

const summaryMark = /The following is a summary of the previous (?:\d+ )?messages:\s*/u;

/** Returns the summary in a message that replaces older messages ("" if it contains none); null for any other message. */
export function summaryOf(text: string): string | null {
  const message = envelopeOf(text)?.message ?? text;
  const mark = summaryMark.exec(message);
  if (mark !== null) return message.slice(mark.index + mark[0].length).trim();
  return /^Note: (?:\d+ )?(?:prior )?messages .{0,80}have been hidden from view/u.test(message) ? "" : null;
}

function parsed(text: string): JsonObject | undefined {
  return text.startsWith("{") ? parseObject(text) : undefined;
}
