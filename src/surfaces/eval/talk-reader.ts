// A model without intelligence that holds whole conversations, for evaluations without a key: it saves, corrects, forgets and
// searches as its instructions say, and answers with the line of the request that has the most words of the question.
// Invariant: deterministic; it uses only the request. A fact that is missing from the request changes the reply.
import { forgottenMark } from "../../base/redactor.ts";
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/llm/model.ts";
import { type ContentPart, noUsage } from "../../base/message/message.ts";
import { hasRule } from "./reader-rules.ts";
import { bestLine, coreLines, type Line, linesOf, resultLines, saidIn, sharesTerms } from "./request-lines.ts";

export const talkReaderName = "eval/talk-reader";

/** The whole reply if the request contains no answer. */
export const knowsNothing = "I do not know.";

/** The window in tokens. It is so small that a long pasted text leads to a compaction. */
const contextWindow = 16_000;

export function createTalkReader(): Model {
  return {
    name: talkReaderName,
    contextWindow,
    async *stream(request): AsyncIterable<ModelEvent> {
      const move = request.tools.length === 0 ? summaryOf(lastText(request)) : nextMove(request);
      if (typeof move === "string") yield { type: "text-delta", text: move };
      else
        for (const [at, { name, args }] of move.entries())
          yield {
            type: "tool-call",
            callId: `call-${request.messages.length}-${at}`,
            name,
            arguments: JSON.stringify(args),
          };
      yield { type: "end", stopReason: typeof move === "string" ? "end" : "tool-calls", usage: noUsage };
    },
  };
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The text or the calls of a reply. */
type Move = string | readonly Call[];

function nextMove(request: ModelRequest): Move {
  const sentences = sentencesIn(lastText(request)).map((sentence) => sentence.trim());
  const results = resultsOf(request);
  const toForget = sentences.flatMap((sentence) => /^Please forget (.+?)\.?$/u.exec(sentence)?.[1] ?? []);
  if (toForget[0] !== undefined && hasRule(request, "forget")) return forget(toForget[0], results);
  const question = sentences.findLast(isQuestion);
  if (question !== undefined) return answer(request, question, results);
  const saves = results.size === 0 ? sentences.flatMap((sentence) => savesOf(request, sentence)) : [];
  return saves.length === 0 ? `Noted.${wishes(request)}` : saves;
}

/**
 * Returns the next move if the user wants something forgotten: after "Please forget that …" a call that forgets these words,
 * otherwise a search for the subject, and then a call that forgets the sentences found.
 */
function forget(what: string, results: ReadonlyMap<string, string>): Move {
  if (results.has("forget")) return "Done.";
  const [, said] = /^that (.+)$/u.exec(what) ?? [];
  if (said !== undefined) return [{ name: "forget", args: { texts: [said] } }];
  const [, subject = what] = /\babout (.+)$/u.exec(what) ?? [];
  const found = results.get("conversation_search");
  if (found === undefined) return [{ name: "conversation_search", args: { query: subject } }];
  const [first] = resultLines(found);
  const texts = sentencesIn(first?.text.replaceAll(forgottenMark, "") ?? "").flatMap((one) =>
    sharesTerms(subject, one) ? [one.trim()] : [],
  );
  return texts.length === 0 ? knowsNothing : [{ name: "forget", args: { texts } }];
}

function answer(request: ModelRequest, question: string, results: ReadonlyMap<string, string>): Move {
  const shown = linesOf(request);
  const now = timeIn(shown);
  if (/\btoday\b/iu.test(question)) return now === undefined ? knowsNothing : spoken(now);
  const known = bestLine(question, shown);
  if (known !== null) return spoken(known);
  if (!hasRule(request, "search")) return knowsNothing;
  const archive = results.get("archival_memory_search");
  const recall = results.get("conversation_search");
  if (archive === undefined || recall === undefined)
    return ["archival_memory_search", "conversation_search"].map((name) => ({ name, args: { query: question } }));
  const found = chosen(question, [archive, recall], hasRule(request, "newer"));
  return found === null ? knowsNothing : spoken(found);
}

/**
 * Chooses between a passage and a message. The passage wins, unless the instructions have the rule `newer` and the message
 * is newer and about the question.
 */
function chosen(question: string, [archive, recall]: readonly [string, string], knowsRule: boolean): Line | null {
  const passages = resultLines(archive).map((line) => ({ ...line, place: "archive" as const }));
  const passage = bestLine(question, passages);
  const hit = believed(resultLines(recall), knowsRule);
  const said = hit === undefined ? null : { ...hit, place: "recall" as const };
  if (said === null || passage === null) return said ?? passage;
  const isNewer = knowsRule && said.at !== null && passage.at !== null && said.at > passage.at;
  return isNewer && bestLine(question, [said]) !== null ? said : passage;
}

/** Returns the line to believe: the newest line of the first result if the rule `newer` is known, otherwise its first line. */
function believed(lines: ReturnType<typeof resultLines>, knowsRule: boolean) {
  const group = lines.filter(({ group: number }) => number === lines[0]?.group);
  if (!knowsRule || group.some(({ at }) => at === null)) return group[0];
  return group.toSorted((one, other) => (other.at ?? "").localeCompare(one.at ?? ""))[0];
}

function spoken({ place, text }: Line): string {
  return `[${place}] ${text}`;
}

function savesOf(request: ModelRequest, said: string): readonly Call[] {
  const isWish = /^From now on\b/u.test(said);
  const isSecret = /\bpassword\b/iu.test(said) && hasRule(request, "secrets");
  const isBrief = /^For today\b/u.test(said);
  if (isSecret || isBrief || !isFact(said) || !hasRule(request, isWish ? "wishes" : "save")) return [];
  const content = dated(request, said);
  if (isWish || (/^(?:I|My|We|Our)\b/u.test(said) && hasRule(request, "places"))) return [saveInCore(request, content)];
  return [{ name: "archival_memory_insert", args: { content } }];
}

function saveInCore(request: ModelRequest, content: string): Call {
  const outdated = coreLines(request).find((line) => sharesTerms(content, line));
  return outdated === undefined || !hasRule(request, "replace")
    ? { name: "core_memory_append", args: { name: "human", content } }
    : { name: "core_memory_replace", args: { name: "human", old_content: outdated, new_content: content } };
}

/** Returns the line that states the time in the newest state entry. */
function timeIn(lines: readonly Line[]): Line | undefined {
  return lines.findLast(({ text }) => text.startsWith("Now: "));
}

const dayMs = 86_400_000;

/** Replaces "yesterday" and "tomorrow" by days, if the instructions have the rule `dates` and a state entry has the time. */
function dated(request: ModelRequest, said: string): string {
  const now = timeIn(linesOf(request));
  const [today] = /\d{4}-\d\d-\d\d/u.exec(now?.text ?? "") ?? [];
  if (today === undefined || !hasRule(request, "dates")) return said;
  const day = (offset: number): string => new Date(Date.parse(today) + offset * dayMs).toISOString().slice(0, 10);
  return said.replaceAll(/\byesterday\b/gu, `on ${day(-1)}`).replaceAll(/\btomorrow\b/gu, `on ${day(1)}`);
}

/** Returns the words that core memory says the user wants at the end of replies. */
function wishes(request: ModelRequest): string {
  const words = coreLines(request).flatMap((line) => /^From now on end your replies with (\w+)/u.exec(line)?.[1] ?? []);
  return words.map((word) => ` ${word}`).join("");
}

/** Returns the tool results of the running turn, by tool. */
function resultsOf({ messages }: ModelRequest): ReadonlyMap<string, string> {
  const turn = messages.slice(messages.findLastIndex(({ content }) => content.some(isText)) + 1);
  const parts = turn.flatMap(({ content }) => content);
  return new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.name, part.text] as const] : [])));
}

function isText({ type }: ContentPart): boolean {
  return type === "text";
}

/** Returns the newest text of the user. */
function lastText({ messages }: ModelRequest): string {
  return saidIn(messages.findLast(({ role, content }) => role === "user" && content.some(isText))?.content ?? []);
}

const maxWords = 200;

function summaryOf(text: string): string {
  const said = text.split("\n").map((line) => line.replace(/^(?:Earlier summary|user\b.*?): /u, ""));
  const kept = said
    .filter((line) => !/^(?:assistant|tool|event|In the earlier summary|Replaced in core memory)\b/u.test(line))
    .flatMap((line) => sentencesIn(line))
    .map((sentence) => sentence.trim())
    .filter(isFact);
  return [...new Set(kept)].join(" ").split(" ").slice(0, maxWords).join(" ") || "Small talk.";
}

/** Returns whether a sentence is a statement about the user, or has a name or a number. */
function isFact(sentence: string): boolean {
  if (isQuestion(sentence) || /^Please forget\b/u.test(sentence) || !/^\p{Lu}/u.test(sentence)) return false;
  return /^(?:I|My|We|Our|From now on)\b/u.test(sentence) || /\p{N}|\s\p{Lu}/u.test(sentence);
}
