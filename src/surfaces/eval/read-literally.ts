// Judges the reply of the literal reader: which of a question's messages it shows, and what somebody concludes from it who
// knows only the text.
// Invariant: pure.
import { smallest } from "../../base/lists.ts";
import type { EvalMessage, EvalQuestion, EvalSet } from "./eval-set.ts";
import { newerCounts } from "./literal-reader.ts";

/** `junk`: the reply leads to a wrong answer. `missed`: it shows neither evidence nor junk. */
export type LiteralVerdict = "right" | "junk" | "missed";

interface Shown {
  readonly place: number;
  readonly at: string;
}

/** Null for a question without evidence and without anything forgotten: nothing could be concluded. */
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

/** The results, each with the lines below it that belong to it; the whole reply if it has no numbered results. */
function groupsOf(reply: string): readonly string[] {
  return reply.split(/^(?=\[\d+\] )/mu);
}

/** The reader may compare times if a rule says so and the text shows the day of each message. */
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

/** The messages whose text the reply contains, at least in part. */
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

/** Characters of a message that identify it: an excerpt contains its beginning or its end. */
const enough = 40;

function placeOf(text: string, message: EvalMessage): number {
  const said = plain(message.text);
  const begin = text.indexOf(said.slice(0, enough));
  return begin === -1 ? text.indexOf(said.slice(-enough)) : begin;
}

/** Without the marks that a format may escape or replace. */
function plain(text: string): string {
  return text.replaceAll(/[\\"“”\s]+/gu, " ");
}

/** The time at which a message of a conversation was said: a minute apart. */
export function messageTime(at: string, minute: number): Date {
  return new Date(Date.parse(at) + minute * 60_000);
}
