// Answers questions from core memory in the prompt, or else from searches of recall and archival memory.
// Invariant: an answer about the user contains only text of the prompt or of a search, and never quotes a question.
import { clip, contentWords, countMentions, factValue, isGuidance, isQuestion, quote, sentencesOf } from "./intents.ts";
import { type Call, isSameCall, readFound, type Turn } from "./read-turn.ts";

/** The demo model's description of itself. */
export const demoDisclaimer = "demo model: pattern rules, not a language model";
/** Examples of messages that the demo model understands. */
export const abilities =
  'You can tell me facts ("My name is Ada and I live in Lisbon", "I like tea"), ' +
  'ask for them back ("Where do I live?", "What did I say about tea?", "What did I tell you on 2026-11-20?"), ' +
  'and say "remember that …", "forget …" or "your name is …".';

const answers: readonly (readonly [RegExp, (turn: Turn) => string])[] = [
  [/\b(?:know|remember|tell me) (?:everything )?about (?:me|myself)$|^what do you know$|^who am i$/i, allLines],
  [/\byour name$|^(?:who|what) are you\b|^are you (?:a|an|real|human)\b/i, selfIntroduction],
  [/^help$|\bwhat can you do$|^how (?:do|does) (?:you|this|it) work/i, () => `I am a ${demoDisclaimer}. ${abilities}`],
];
const propertyQuestion = /\bmy ([\p{L}][\p{L}' -]{1,39})$/iu;
const asksAboutHistory = /\b(?:say|said|tell|told|mention|mentioned|talk|talked)\b|\d{4}-\d{2}-\d{2}/i;
const day = /\b\d{4}-\d{2}-\d{2}\b/g;
const maxQuotes = 5;

/** Returns the answer to a question from the prompt alone; undefined if memory must be searched. */
export function answerFromCore(question: string, turn: Turn): string | undefined {
  const answer = answers.find(([pattern]) => pattern.test(question));
  if (answer !== undefined) return answer[1](turn);
  if (asksAboutHistory.test(question)) return undefined;
  const label = propertyQuestion.exec(question)?.[1]?.toLowerCase() ?? "";
  const value = factValue(turn.core.get("human") ?? "", label);
  if (value !== undefined) return `Your ${label} is ${value}.`;
  const words = contentWords(question);
  const lines =
    words.length === 0 ? [] : knownLines(turn).filter((line) => countMentions(line, words) === words.length);
  return lines.length === 0 ? undefined : `From my core memory: ${lines.map(quote).join("; ")}.`;
}

/** Returns the searches for a question: by its dates if it contains any, otherwise in both memories by its topic. */
export function searchesFor(question: string): readonly Call[] {
  const days = (question.match(day) ?? []).toSorted();
  if (days.length > 0)
    return [{ name: "conversation_search_date", input: { start_date: days[0], end_date: days.at(-1) } }];
  const query = contentWords(question).join(" ").slice(0, 200);
  if (query === "") return [];
  return ["archival_memory_search", "conversation_search"].map((name) => ({ name, input: { query } }));
}

/** Returns the answer to a question from its searches. A hit must contain half of the topic's words. */
export function answerFromSearch(question: string, turn: Turn): string {
  const searches = searchesFor(question);
  if (searches.length === 0) return "What should I look for? Name a topic, or a day as YYYY-MM-DD.";
  const done = searches.flatMap((search) => turn.done.find((call) => isSameCall(call, search)) ?? []);
  if (done.length === 0) return "My core memory does not hold that, and I have no tool to search for it.";
  const failures = done.filter(({ failed }) => failed).map(({ name, result }) => `${name} failed: ${clip(result)}`);
  const words = searches[0]?.name === "conversation_search_date" ? [] : contentWords(question);
  const found = done
    .flatMap(readFound)
    .filter(({ text }) => text !== turn.input && !sentencesOf(text.slice(0, 4000)).every(isQuestion))
    .filter(({ text }) => countMentions(text, words) * 2 >= words.length)
    .map(({ at, source, text }) => `- ${at}, ${source}: ${quote(text)}`);
  if (found.length > 0) return ["Here is what I found:", ...found.slice(0, maxQuotes), ...failures].join("\n");
  const topic = words.length === 0 ? "" : ` about ${quote(words.join(" "))}`;
  const places = done[0]?.name === "archival_memory_search" ? "my archival memory and our" : "our";
  return [...failures, `I searched ${places} conversation history and found nothing${topic}.`].join(" ");
}

/** Returns the agent's introduction: "My name is Scout. I run on the demo model: …" */
export function selfIntroduction({ core }: Turn): string {
  const [, name] = [...(core.get("persona") ?? "").matchAll(/\bname(?: is|:) ([^.,;\n]+)/gi)].at(-1) ?? [];
  return `${name === undefined ? "I have no name yet" : `My name is ${name}`}. I run on the ${demoDisclaimer}.`;
}

function allLines(turn: Turn): string {
  const lines = knownLines(turn).map((line) => `- ${line}`);
  return lines.length === 0
    ? "My core memory holds nothing about you yet. Tell me something about yourself."
    : ["This is what my core memory holds about you:", ...lines].join("\n");
}

/** Returns the lines of the human module that state something about the user. */
function knownLines({ core }: Turn): readonly string[] {
  return (core.get("human") ?? "").split("\n").filter((line) => line.trim() !== "" && !isGuidance(line));
}
