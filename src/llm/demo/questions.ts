// What a question asks: something that core memory holds under a label, the agent itself, or what was said in the past.
// Invariant: every question is read as exactly one kind; what no rule knows is a question about its own content words.
import { type DayReading, readDays, withoutDays } from "./dates.ts";
import { withoutOpening } from "./sentences.ts";
import { contentWords } from "./words.ts";

/** Whose words are looked for in the conversation history. */
export type Speaker = "user" | "assistant" | "both";

/** A question about something said, found by words or by days. */
export interface PastQuestion {
  readonly kind: "past";
  readonly text: string;
  /** The words to search for, as they stand in the question; empty when only days are asked for. */
  readonly topic: string;
  readonly words: readonly string[];
  readonly days: DayReading | undefined;
  readonly speaker: Speaker;
  /** It asks what was said, so that both memories are searched at once. */
  readonly asksWhatWasSaid: boolean;
}

/** A question that a line of core memory answers. */
export interface LabelQuestion {
  readonly kind: "label";
  readonly text: string;
  readonly labels: readonly string[];
  readonly topic: string;
}

export type Question =
  | PastQuestion
  | LabelQuestion
  | { readonly kind: "everything" }
  | { readonly kind: "agent" }
  | { readonly kind: "small-talk"; readonly text: string };

const labelQuestions: readonly (readonly [RegExp, readonly string[], string])[] = [
  [
    /\bmy (?:full |first |real )?name$|\bmy name (?:is|was)$|\bwhat am i called$|\bwhat do (?:you|people) call me$/i,
    ["Name"],
    "name",
  ],
  [
    /\bwhere (?:do|did) (?:i|we) live\b|\bwhere i live\b|\bwhere am i living\b|\bwhere is my home\b|\b(?:city|town|country|place) do i live\b/i,
    ["Lives in"],
    "live",
  ],
  [/\bwhere (?:am i|i am|do i come) from\b/i, ["From", "Born in"], "from"],
  [/\bwhere (?:do i|i) work\b|\bwho do i work for\b/i, ["Works at", "Job"], "work"],
  [
    /\bmy (?:job|profession|occupation|work)$|\bwhat (?:do i|i) do(?: for (?:a living|work))?$|\bwhat do i work as\b/i,
    ["Job", "Works at"],
    "work",
  ],
  [
    /\bwhat (?:things )?(?:do|did) i (?:like|love|enjoy)\b|\bwhat i (?:like|love|enjoy)$|\bmy (?:hobbies|likes|interests)$/i,
    ["Likes"],
    "like",
  ],
  [/\bwhat (?:do i (?:dislike|hate|not like)|don't i like|do i not like)\b|\bmy dislikes$/i, ["Dislikes"], "like"],
  [/\bhow old am i\b|\bmy age$/i, ["Age"], "years old"],
  [/\bmy birthday$|\bwhen was i born\b|\bmy date of birth$/i, ["Birthday", "Born"], "birthday"],
  [/\bwhere was i born\b/i, ["Born in", "Born"], "born"],
  [/\bmy plans?$|\bwhat am i planning\b|\bwhat do i (?:plan|want) to do\b/i, ["Plan"], "plan"],
  [/\bwhat am i allergic to\b|\bmy allergies$/i, ["Allergic to"], "allergic"],
  [/\bwhat languages do i speak\b/i, ["Speaks"], "speak"],
  [/\bwhat (?:do|am) i study(?:ing)?\b/i, ["Studies"], "study"],
];
const aboutEverything =
  /\b(?:know|remember|learned|learnt|tell me) (?:everything )?about (?:me|myself)\b|^who am i$|\bwhat (?:do|can) you remember$|\bwhat do you know$/i;
const aboutAgent =
  /\byour name$|^who(?: are|'re) you\b|^what(?: are|'re) you$|\bare you (?:an? )?(?:human|real|bot|robot|ai|machine|language model|llm|chatbot|person|gpt\S*|claude)\b|\btell me about yourself\b/i;
const smallTalk =
  /\bhow (?:are|'re) (?:you|things)\b|\bwhat can you do\b|\bcan you help\b|\bhow (?:do|does) (?:you|this|it) work\b|\bwhat(?:'s| is) up\b|\bwhat(?:'s| is) the (?:time|date)\b|\bwhat (?:time|day|date) is it\b|^help$/i;
const whatWasSaid =
  /\b(?:did|have|had) (?:i|we|you)\b.{0,20}\b(?:say|said|tell|told|mention|mentioned|talk|talked|discuss|discussed|write|ask|speak)|\bi (?:said|told|mentioned)\b/i;
const youSaid =
  /\b(?:did|have|had) you (?:ever )?(?:say|said|tell|told|mention|answer|reply|write)\b|\byou (?:said|told)\b/i;
const weTalked = /\b(?:did|have|had) we\b/i;

/** Reads a question. */
export function readQuestion(sentence: string, today: string | undefined): Question {
  const text = withoutOpening(sentence)
    .replace(/\bwhat's\b/gi, "what is")
    .replace(/\bwho's\b/gi, "who is")
    .replace(/[\s.!?,]+$/, "");
  const label = labelQuestions.find(([pattern]) => pattern.test(text));
  if (label !== undefined && !whatWasSaid.test(text)) return { kind: "label", text, labels: label[1], topic: label[2] };
  if (aboutEverything.test(text)) return { kind: "everything" };
  if (aboutAgent.test(text)) return { kind: "agent" };
  if (smallTalk.test(text)) return { kind: "small-talk", text };
  return pastQuestion(text, today);
}

/** The longest words of a topic: the best to search for one by one. */
export function searchWords(question: PastQuestion): readonly string[] {
  if (question.words.length < 2) return [];
  return [...question.words].sort((one, other) => other.length - one.length).slice(0, 2);
}

function pastQuestion(text: string, today: string | undefined): PastQuestion {
  const days = readDays(text, today);
  const rest = days === undefined ? text : withoutDays(text);
  return {
    kind: "past",
    text,
    topic: topicOf(rest),
    words: contentWords(rest),
    days,
    speaker: youSaid.test(text) ? "assistant" : weTalked.test(text) ? "both" : "user",
    asksWhatWasSaid: whatWasSaid.test(text),
  };
}

/** The stretch from the first word that carries a topic to the last; a quoted part stands for all of it. */
function topicOf(text: string): string {
  const quoted = /["“]([^"“”]{1,200})["”]/.exec(text)?.[1];
  if (quoted !== undefined) return quoted.trim();
  const tokens = text.split(/\s+/).filter((token) => token !== "");
  const words = contentWords(text);
  const carries = (token: string): boolean => contentWords(token).some((word) => words.includes(word));
  const topic = tokens.slice(tokens.findIndex(carries), tokens.findLastIndex(carries) + 1).join(" ");
  return topic
    .replace(/^[\s"'“(]+|[\s"'”).,;:!?]+$/g, "")
    .replace(/'s$/, "")
    .slice(0, 200);
}
