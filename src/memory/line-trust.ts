// The trust classes of the lines of a module: what the user said keeps the user's class beside external text (ADR 10).
// Invariant: pure; a text has the lowest class of its lines; if the number of stored classes differs from the number of
// lines, each line has the lowest class.
import { filesOf, lowestTrust, textOf, toolCallsOf, type Trust } from "../base/message/message.ts";
import { saidIn } from "./facts/said-by-user.ts";
import { wordsIn } from "./facts/stated-facts.ts";
import type { StoredMessage } from "../store/port/records.ts";
import type { WindowContent } from "./trust.ts";

export interface TrustedText {
  readonly value: string;
  readonly trust: Trust;
  /** The class of each line, including blank ones; null: each line has the class of the text. */
  readonly lineTrust: readonly Trust[] | null;
}

/** Returns the class of a line that is new. */
export type ClassOfLine = (line: string) => Trust;

/** The texts that a writer has seen. */
export interface SeenTexts {
  readonly window: SeenWindow;
  /** The texts of core memory. */
  readonly texts: readonly TrustedText[];
  /** Whether the writer, such as a tool of a program, has also seen other texts. */
  readonly hasOthers: boolean;
}

type SeenWindow = Pick<WindowContent, "messages" | "summaries" | "synopsis">;

/** Returns a function that returns the class of a written line: `user` if the user said the line, otherwise `trust`. */
export function classOfWritten(trust: Trust, seen: SeenTexts): ClassOfLine {
  const isSaid = saidIn(() => {
    const { known, foreign } = linesByTrust(seen.texts);
    const messages = saidByUser(seen.window.messages);
    return {
      messages: messages.map(textOf),
      days: messages.map(({ at }) => at.toISOString().slice(0, 10)),
      known,
      foreign: hasUnread(seen) ? null : [...foreign, ...foreignTexts(seen.window)],
    };
  });
  return (text) => (isSaid(text) ? "user" : trust);
}

/**
 * Returns the messages that the user wrote. A message of a lower class than `user` counts only in the last turn, where
 * its files lower the class; an earlier one may have been imported.
 */
function saidByUser(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const turnId = messages.at(-1)?.turnId;
  return messages
    .filter(({ role, kind }) => role === "user" && kind === "message")
    .filter((message) => message.trust === "user" || message.turnId === turnId);
}

/** Returns the lines of memory that the user said, and the lines from external sources. */
function linesByTrust(texts: readonly TrustedText[]): Readonly<Record<"known" | "foreign", readonly string[]>> {
  const lines = texts.flatMap((text) => {
    const classes = trustOfLines(text);
    return text.value.split("\n").map((line, at) => ({ line, trust: classes[at] }));
  });
  const of = (trust: Trust): readonly string[] => lines.filter((each) => each.trust === trust).map(({ line }) => line);
  return { known: of("user"), foreign: of("external") };
}

/**
 * Returns whether the writer saw texts that are not available here: the content of files, an external synopsis, or texts that
 * only the writer has.
 */
function hasUnread({ window: { messages, synopsis }, hasOthers }: SeenTexts): boolean {
  if (hasOthers || synopsis === "external") return true;
  return messages.some((message) => message.trust === "external" && filesOf(message).length > 0);
}

/**
 * Returns the texts of the class `external`: summaries, retrieved items, tool results without the words of their calls,
 * user messages, and replies to such user messages. Other replies are left out: they also repeat what the user said.
 */
function foreignTexts({ messages, summaries }: SeenWindow): readonly string[] {
  const external = messages.filter(({ trust }) => trust === "external");
  const begunElsewhere = new Set(external.filter(({ role }) => role === "user").map(({ turnId }) => turnId));
  const asked = new Map(messages.flatMap(toolCallsOf).map((call) => [call.callId, JSON.stringify(call.arguments)]));
  return [
    ...summaries.filter(({ trust }) => trust === "external").map(({ summary }) => summary),
    ...messages.flatMap(({ stated }) => stated?.found?.text ?? []),
    ...external
      .flatMap((message) => message.content)
      .flatMap((part) => (part.type === "tool-result" ? [newIn(part.text, asked.get(part.callId) ?? "")] : [])),
    ...external.filter(({ role, turnId }) => role === "user" || begunElsewhere.has(turnId)).map(textOf),
  ];
}

/** Returns the words of a text that another text does not have. */
function newIn(text: string, other: string): string {
  const words = new Set(wordsIn(other));
  return wordsIn(text)
    .filter((word) => !words.has(word))
    .join(" ");
}

export function trustOfLines({ value, trust, lineTrust }: TrustedText): readonly Trust[] {
  const { length } = value.split("\n");
  if (lineTrust?.length === length && textTrust({ trust, lineTrust }) === trust) return lineTrust;
  const lowest = lowestTrust([trust, ...(lineTrust ?? [])]);
  return Array.from({ length }, () => lowest);
}

/** Returns the class of the text at a revision. The `trust` of a revision is the class of only the lines it wrote. */
export function textTrust({ trust, lineTrust }: Pick<TrustedText, "trust" | "lineTrust">): Trust {
  return lineTrust === null ? trust : lowestTrust(lineTrust);
}

export interface EditTrust {
  /** The class of the new text. */
  readonly trust: Trust;
  readonly lineTrust: TrustedText["lineTrust"];
  /** The class of the lines that the edit wrote; if it only removed lines, the class of the edit. */
  readonly written: Trust;
}

/** Returns the classes after an edit: a line that the text already had keeps its class, wherever it is now. */
export function trustOfEdit(before: TrustedText, after: string, classOf: ClassOfLine): EditTrust {
  const known = knownLines(before);
  const written: Trust[] = [];
  const lines = after.split("\n");
  const classes = lines.map((line): Trust => {
    const kept = known.get(line.trim());
    if (kept !== undefined) return kept;
    const own = classOf(line);
    written.push(own);
    return own;
  });
  const trust = lowestTrust(classes);
  const isUniform = lines.every((line, at) => line.trim() === "" || classes[at] === trust);
  return {
    trust,
    lineTrust: isUniform ? null : classes,
    written: written.length === 0 ? classOf("") : lowestTrust(written),
  };
}

function knownLines(text: TrustedText): ReadonlyMap<string, Trust> {
  const classes = trustOfLines(text);
  // A blank line has the user's class, because it says nothing.
  const known = new Map<string, Trust>();
  for (const [at, line] of text.value.split("\n").entries()) {
    const key = line.trim();
    known.set(key, lowestTrust([known.get(key) ?? "user", classes[at] ?? text.trust]));
  }
  return known.set("", "user");
}
