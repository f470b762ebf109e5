// Splits a request into the lines that the talk reader can answer with, each with its place.
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import type { ModelRequest } from "../../model/llm/model.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { Place } from "./eval-set.ts";

export interface Line {
  readonly place: Place;
  readonly text: string;
}

/**
 * Returns the lines of core memory, then those of state entries (without lines about lookups), then those of summaries and
 * of the user's earlier messages.
 */
export function linesOf(request: ModelRequest): readonly Line[] {
  const { messages } = request;
  const asked = messages.findLastIndex(({ role, content }) => role === "user" && textIn(content) !== "");
  const lines: Line[] = coreLines(request).map((text) => ({ place: "core", text }));
  const stated = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "state" ? [part.text] : [])),
  );
  for (const text of stated.flatMap((entry) => entry.split("\n")))
    if (!text.startsWith("Looked up in memory")) lines.push({ place: "state", text });
  for (const [at, { role, content }] of messages.slice(0, asked).entries()) {
    const isSummary = textIn(messages[at - 1]?.content ?? []).startsWith("Note: prior messages");
    const place = isSummary ? "summary" : "view";
    if (!isSummary && role !== "user") continue;
    for (const text of sentencesIn(saidIn(content))) if (!isQuestion(text)) lines.push({ place, text: text.trim() });
  }
  return lines;
}

export function coreLines({ system }: ModelRequest): readonly string[] {
  const sections = system.memory.matchAll(/<(\w+) [^>]*>\n([\s\S]*?)\n<\/\1>/gu);
  return [...sections].flatMap(([, , text = ""]) => text.split("\n")).filter((line) => line.trim() !== "");
}

function textIn(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Returns the text of a message, without the time that the runtime puts before it. */
export function saidIn(content: readonly ContentPart[]): string {
  return textIn(content).replace(/^\[[^\]\n]*\] /u, "");
}

/**
 * Returns the line with the most words of the question, the first of several; null if no line has half of the words.
 */
export function bestLine<Shown extends Line>(question: string, lines: readonly Shown[]): Shown | null {
  const asked = termsOf(question);
  let best: { readonly line: Shown; readonly shared: number } | null = null;
  for (const line of lines) {
    const shared = [...termsOf(line.text)].filter((term) => asked.has(term)).length;
    if (shared > 0 && shared * 2 >= asked.size && shared > (best?.shared ?? 0)) best = { line, shared };
  }
  return best?.line ?? null;
}

/** Returns whether `other` has at least half of the words of `one`, so that both are about the same thing. */
export function sharesTerms(one: string, other: string): boolean {
  const line: Line = { place: "core", text: other };
  return bestLine(one, [line]) !== null;
}

const withoutContent = new Set(
  "the and for with that this from you your our are was were has have had did does not now what where when which who how about tell know can will would please".split(
    " ",
  ),
);

/** Returns the words with content, shortened so that forms of a word are equal. */
function termsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !withoutContent.has(word)).map((word) => word.slice(0, 5)));
}

export interface ResultLine {
  /** The number of the result that the line belongs to, from 1. */
  readonly group: number;
  /** The time of the line, to the minute; null if the line has none. */
  readonly at: string | null;
  readonly text: string;
}

/** Returns the lines of the search results in a tool's result, in their order, without the agent's own answers. */
export function resultLines(page: string): readonly ResultLine[] {
  let group = 0;
  return page.split("\n").flatMap((line) => {
    const [, indent, kind = "", origin = "", text = ""] =
      /^( *)(?:\[\d+\] |(?=said later, ))((?:said later|said earlier|saved earlier)[^:]*: |your answer: )?(.*?): (.*)$/u.exec(
        line,
      ) ?? [];
    if (indent === undefined) return [];
    if (indent === "") group += 1;
    const [at = null] = /\d{4}-\d\d-\d\d \d\d:\d\d/u.exec(origin) ?? [];
    return kind.startsWith("your answer") || origin.endsWith(", you") ? [] : [{ group, at, text }];
  });
}
