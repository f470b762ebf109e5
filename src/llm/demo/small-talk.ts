// Short answers to what asks for nothing: greetings, thanks, small talk, and words that no rule knows.
// Invariant: every one of them is honest about what is answering.
import { moduleValue } from "./core-memory-view.ts";
import { valueOf } from "./core-answers.ts";
import { personaName } from "./persona-edits.ts";
import { demoAbilities, demoDisclaimer } from "./self-description.ts";
import type { Turn } from "./turn.ts";

const answers: readonly (readonly [RegExp, (turn: Turn) => string])[] = [
  [/^\P{L}*(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon)|greetings)(?!\p{L})/iu, (turn) => greet(turn)],
  [
    /^\P{L}*(?:thanks|thank you|thx|cheers|great|cool|nice|ok|okay|good|perfect|wonderful)(?!\p{L})/iu,
    () => "You are welcome.",
  ],
  [
    /^\P{L}*(?:bye|goodbye|see you|good night|farewell)(?!\p{L})/iu,
    (turn) => `Goodbye${nameOf(turn)}. What I wrote into memory stays.`,
  ],
  [
    /\bhow (?:are|'re) (?:you|things)\b|\bwhat(?:'s| is) up\b/i,
    () => `I am a program, so always the same: a ${demoDisclaimer}. How are you?`,
  ],
  [/\bthe time\b|\bthe date\b|\b(?:time|day|date) is it\b/i, (turn) => tellDay(turn)],
  [/\bhelp\b|\bwhat can you do\b|\bhow (?:do|does)\b/i, () => `I am a ${demoDisclaimer}. ${demoAbilities}`],
];

/** The answer to a message or question that no other rule knows. */
export function answerSmallTalk(text: string, turn: Turn): string {
  if (text.trim() === "") return `That message was empty. ${demoAbilities}`;
  const answer = answers.find(([pattern]) => pattern.test(text));
  return (
    answer?.[1](turn) ??
    `I have no rule for that, but the conversation history keeps it. I am a ${demoDisclaimer}. ${demoAbilities}`
  );
}

/** The greeting at a login or a hello. */
export function greet(turn: Turn): string {
  const name = personaName(moduleValue(turn.modules, "persona") ?? "");
  const self = name === undefined ? `I am the ${demoDisclaimer}` : `I am ${name}, run by the ${demoDisclaimer}`;
  return `Hello${nameOf(turn)}! ${self}. ${demoAbilities}`;
}

function nameOf(turn: Turn): string {
  const name = valueOf(moduleValue(turn.modules, "human") ?? "", "Name");
  return name === undefined ? "" : `, ${name}`;
}

function tellDay(turn: Turn): string {
  return turn.today === undefined
    ? "I have no clock, and my prompt does not tell the date."
    : `My prompt says that it is ${turn.today}; I have no clock of my own.`;
}
