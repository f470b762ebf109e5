// Builds long conversations and an archive in which facts change, from facts.json and generated small talk.
// Invariant: deterministic; the statements of a fact keep their order in time, and what is near to it is scattered over all the
// time, also after the newest statement.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ImportedMessage } from "../../src/runtime/conversations/contract.ts";
import type { PassageInput } from "../../src/runtime/archival/contract.ts";
import { makeLines } from "../search-corpus.ts";

/** A fact that changed. `said` and `saved`: oldest first, as the user said it and as an agent would save it. */
export interface ChangedFact {
  readonly question: string;
  readonly said: readonly string[];
  /** What the user wrote right before the newest statement. */
  readonly before?: string;
  readonly saved: readonly string[];
  /** Statements with words of the question that say something else. */
  readonly near: readonly string[];
}

/** A fact that never changed. */
export interface SteadyFact {
  readonly question: string;
  readonly text: string;
}

export interface FactScene {
  readonly changed: readonly ChangedFact[];
  readonly steady: readonly SteadyFact[];
  /** Each conversation with its messages. */
  readonly talks: readonly (readonly ImportedMessage[])[];
  readonly passages: readonly PassageInput[];
}

const talkCount = 24;
const smallTalk = 1000;
const start = Date.UTC(2026, 0, 5, 18);
const day = 86_400_000;
/** Days between two conversations. */
const pause = 9;

const replies = [
  "Noted.",
  "Thanks, I will keep that in mind.",
  "That sounds like quite a day. Anything I can do?",
  "Good to know. Shall I remind you of it?",
  "I see. How do you feel about it?",
  "All right, I have it.",
];

export function createFactScene(): FactScene {
  const changed = read<ChangedFact>("facts.json");
  const units = changed.flatMap(unitsOf);
  for (const [index, line] of makeLines(smallTalk).entries()) units.push({ at: spread(index), said: [line] });
  const sorted = units.toSorted((one, other) => one.at - other.at);
  const talks = Array.from({ length: talkCount }, (_, number) =>
    messagesOf(
      sorted.filter(({ at }) => Math.floor(at * talkCount) === number),
      number,
    ),
  );
  return { changed, steady: read<SteadyFact>("steady.json"), talks, passages: passagesOf(changed) };
}

function read<Item>(name: string): readonly Item[] {
  return JSON.parse(readFileSync(path.join("bench", "changed-facts", name), "utf8")) as readonly Item[];
}

/** What the user says in one go, and when: from 0 to 1. */
interface Unit {
  readonly at: number;
  readonly said: readonly string[];
  /** The agent's reply, if it repeats a fact. */
  readonly reply?: string;
}

function unitsOf({ question, said, before, near }: ChangedFact, index: number): Unit[] {
  const units: Unit[] = said.map((text, place) => {
    const isNewest = place === said.length - 1;
    const at = isNewest ? 0.7 + spread(index) * 0.25 : (place + spread(index)) * 0.3;
    return { at, said: isNewest && before !== undefined ? [before, text] : [text] };
  });
  // A third of the questions was asked before the fact changed.
  if (index % 3 === 0)
    units.push({ at: 0.62 + spread(index) * 0.05, said: [question], reply: `You told me: ${said.at(-2)}` });
  return [...units, ...near.map((text, place) => ({ at: spread(index * 3 + place + 7), said: [text] }))];
}

/** Spreads numbers evenly over 0 to 1, in no order (multiples of the golden ratio). */
function spread(number: number): number {
  return (number * 0.618_033_988_75) % 1;
}

function messagesOf(units: readonly Unit[], talk: number): readonly ImportedMessage[] {
  let minute = 0;
  const at = (): Date => new Date(start + talk * pause * day + minute++ * 60_000);
  return units.flatMap(({ said, reply }, index) =>
    said.flatMap((text, place): ImportedMessage[] => [
      { role: "user", text, at: at() },
      { role: "assistant", text: reply ?? replies[(index + place) % replies.length]!, at: at() },
    ]),
  );
}

function passagesOf(changed: readonly ChangedFact[]): readonly PassageInput[] {
  const at = (share: number): Date => new Date(start + share * talkCount * pause * day);
  const facts = changed.flatMap(({ saved, near }, index) => [
    ...saved.map((text, place) => ({
      text,
      at: at(place === saved.length - 1 ? 0.7 + spread(index) * 0.25 : (place + spread(index)) * 0.3),
    })),
    ...near.map((text, place) => ({ text, at: at(spread(index * 3 + place + 7)) })),
  ]);
  return [...facts, ...makeLines(smallTalk).map((text, index) => ({ text, at: at(spread(index)) }))];
}
