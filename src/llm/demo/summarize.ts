// An extractive summary: the sentences of a transcript that hold names, numbers, identifiers and first-person facts.
// Invariant: every sentence stands there word for word and in order, and together they keep within the tokens allowed.
import { textOf } from "../../message.ts";
import type { ModelRequest } from "../model.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { demoDisclaimer } from "./self-description.ts";

const summarizerOpening = "You summarize";
const longestTranscript = 200_000;
const longestSentence = 400;
const signs: readonly (readonly [RegExp, number])[] = [
  [/\b(?:I|I'm|I've|my|me|we|our)\b/i, 3],
  [/\d/, 2],
  [/[\p{Ll}\p{N},] \p{Lu}\p{Ll}/u, 2],
  [/\b(?:[A-Z]{2,}[\w-]*|\w+[_/-]\w+|\w*\d\w*[A-Za-z]\w*)\b/, 2],
  [/\b(?:name|live|moved|work|like|love|hate|plan|birthday|favou?rite|decided|must|never|always)\b/i, 1],
];
const boilerplate =
  /I have no rule for that|found nothing|pattern rules|You can tell me facts|I wrote into my core memory|I saved to archival memory|\[(?:called )?(?:core_memory_|archival_memory_|conversation_search|send_message)|"type":"(?:heartbeat|login|system_alert)"/;

/** A line of a transcript that repeats what memory has anyway: found again by a search, it is worth no place in a summary. */
const recalled = /^tool(?: \(part \d+ of \d+\))?: \[(?:conversation_search|core_memory_|archival_memory_|send_message)/;

/** Whether the request asks for a summary and not for a turn. */
export function asksForSummary(request: ModelRequest): boolean {
  return request.tools.length === 0 && request.system.instructions.trimStart().startsWith(summarizerOpening);
}

/** Summarizes the transcript in the request's messages. */
export function summarize(request: ModelRequest): string {
  const transcript = request.messages
    .map(textOf)
    .join("\n")
    .replace(/^Earlier summary: /, "");
  const extract = extractSentences(transcript, Math.floor(request.maxOutputTokens * 0.8));
  return extract === ""
    ? `(The ${demoDisclaimer}, found no sentence to keep.)`.slice(0, request.maxOutputTokens * 3)
    : extract;
}

/** The telling sentences of a text, in order, within the tokens allowed and at most half as long as a long text. */
export function extractSentences(text: string, mostTokens: number): string {
  const clipped = clipMiddle(text);
  const budget = clipped.length > 4000 ? Math.min(mostTokens, Math.floor(estimateTokens(clipped) / 2)) : mostTokens;
  const sentences = cutSentences(clipped).map((sentence, index) => ({ sentence, index, score: scoreOf(sentence) }));
  const ranked = sentences
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index);
  const seen = new Set<string>();
  const kept: { readonly sentence: string; readonly index: number }[] = [];
  let tokens = 0;
  for (const candidate of ranked) {
    const cost = estimateTokens(candidate.sentence) + 1;
    if (seen.has(candidate.sentence) || tokens + cost > budget) continue;
    seen.add(candidate.sentence);
    kept.push(candidate);
    tokens += cost;
  }
  return kept
    .sort((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence)
    .join("\n");
}

function clipMiddle(text: string): string {
  const half = longestTranscript / 2;
  return (text.length <= longestTranscript ? text : `${text.slice(0, half)}\n${text.slice(-half)}`).toWellFormed();
}

function cutSentences(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => !recalled.test(line))
    .flatMap((line) => line.split(/(?<=[.!?])\s|(?<=[。！？])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && sentence.length <= longestSentence);
}

function scoreOf(sentence: string): number {
  if (boilerplate.test(sentence)) return 0;
  const asks = /[?？]$/.test(sentence) ? 2 : 0;
  const byUser = /^\W{0,3}user\b/i.test(sentence) ? 1 : 0;
  const score = signs.reduce((sum, [pattern, weight]) => sum + (pattern.test(sentence) ? weight : 0), 0);
  return score === 0 ? 0 : Math.max(0, score + byUser - asks);
}
