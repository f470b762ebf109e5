// Judges the reply of the literal reader: which of a question's messages the reply shows, and what a person would
// conclude from the reply alone.
// Invariant: pure.
import { smallest } from "../../base/lists.ts";
import type { EvalMessage, EvalQuestion, EvalSet } from "./eval-set.ts";
import { newerCounts } from "./literal-reader.ts";

/** The judgement of a reply. `junk`: it leads to a wrong answer. `missed`: it shows neither evidence nor junk. */
export type LiteralVerdict = "right" | "junk" | "missed";

interface Shown {
  readonly place: number;
  readonly at: string;
}

/** Returns the verdict on a reply; null for a question with neither evidence nor forgotten messages, which cannot be judged. */
export function readLiterally(reply: string, question: EvalQuestion, set: EvalSet): LiteralVerdict | null {
  if (question.evidence.length === 0 && question.forgotten.length === 0) return null;
  const wrong = [...question.junk, ...question.forgotten];
  const group = groupsOf(reply).find((text) => shownOf(text, [...question.evidence, ...wrong], set).length > 0);
  if (group === undefined) return question.evidence.length === 0 ? "right" : "missed";
  const evidence = shownOf(group, question.evidence, set);
  const junk = shownOf(group, wrong, set);
  if (junk.length === 0) return "right";
  if (evidence.length === 0) return "junk";
  const knowsRule = reply.startsWith(newerCounts);
  return decidedBy(group, [...evidence, ...junk], knowsRule) === "time"
    ? byTime(evidence, junk)
    : byPlace(evidence, junk);
}

/** Splits a reply into its numbered results, each with the lines that belong to it; without any, returns the whole reply. */
function groupsOf(reply: string): readonly string[] {
  return reply.split(/^(?=\[\d+\] )/mu);
}

/**
 * Returns whether times or places decide between evidence and junk: the times of the messages, if the reply states the rule
 * that the newer statement counts and has the day of each message; otherwise their places in the reply.
 */
function decidedBy(reply: string, shown: readonly Shown[], knowsRule: boolean): "time" | "place" {
  return knowsRule && shown.every(({ at }) => reply.includes(at.slice(0, 10))) ? "time" : "place";
}

function byTime(evidence: readonly Shown[], junk: readonly Shown[]): LiteralVerdict {
  const newest = (some: readonly Shown[]): string =>
    some
      .map(({ at }) => at)
      .toSorted()
      .at(-1) ?? "";
  return newest(evidence) > newest(junk) ? "right" : "junk";
}

function byPlace(evidence: readonly Shown[], junk: readonly Shown[]): LiteralVerdict {
  const first = (some: readonly Shown[]): number => smallest(some.map(({ place }) => place));
  return first(evidence) < first(junk) ? "right" : "junk";
}

/** Returns the messages with texts that the reply contains, at least in part. */
function shownOf(reply: string, ids: readonly string[], { conversations }: EvalSet): readonly Shown[] {
  const text = plain(reply);
  return conversations.flatMap(({ at, messages }) =>
    messages.flatMap((message, minute) => {
      if (message.id === undefined || !ids.includes(message.id)) return [];
      const place = placeOf(text, message);
      return place === -1 ? [] : [{ place, at: messageTime(at, minute).toISOString() }];
    }),
  );
}

/** Number of characters by which a message is recognized: an excerpt has at least the beginning or the end of a message. */
const enough = 40;

function placeOf(text: string, message: EvalMessage): number {
  const said = plain(message.text);
  const begin = text.indexOf(said.slice(0, enough));
  return begin === -1 ? text.indexOf(said.slice(-enough)) : begin;
}

/** Returns the text with a space instead of each run of characters that an output format may escape or change. */
function plain(text: string): string {
  return text.replaceAll(/[\\"“”\s]+/gu, " ");
}

/** Returns the time of a message. The messages of a conversation are a minute apart, from `at` on. */
export function messageTime(at: string, minute: number): Date {
  return new Date(Date.parse(at) + minute * 60_000);
}
