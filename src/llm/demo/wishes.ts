// Everything that a message wants: facts to keep, notes to archive, things to forget, a name, questions, a tool.
// Invariant: reading it depends on the words and the tools alone, so every step of a turn reads the same wishes.
import type { Fact } from "./fact.ts";
import { readFacts } from "./facts.ts";
import { readNaming } from "./persona-edits.ts";
import { type Question, readQuestion } from "./questions.ts";
import { type Sentence, splitSentences, withoutOpening } from "./sentences.ts";
import { readToolRequest, type ToolRequest } from "./tool-requests.ts";
import type { Turn } from "./turn.ts";

/** What a message wants done. */
export interface Wishes {
  readonly facts: readonly Fact[];
  readonly notes: readonly string[];
  readonly forgotten: readonly string[];
  readonly naming: string | undefined;
  readonly questions: readonly Question[];
  readonly toolRequest: ToolRequest | undefined;
}

const noWishes: Wishes = {
  facts: [],
  notes: [],
  forgotten: [],
  naming: undefined,
  questions: [],
  toolRequest: undefined,
};
const mostQuestions = 3;
const noteOpening =
  /^(?:(?:can|could|would|will) you )?(?:please )?(?:(?:remember|note|keep in mind|bear in mind|memori[sz]e|write down|make a note)(?: that|:| of|,)|(?:remember|remind me|don't forget|do not forget)(?= to )|(?:don't|do not|never) forget(?: that)?|remember(?= (?:my|the|this)\b)|(?:archive|save)(?: this)?:) ?(.+)$/i;
const forgetOpening = /^(?:(?:can|could|would) you )?(?:please )?forget (?:about |that |the fact that )?(.+)$/i;

/** Reads what a turn's message wants. */
export function readWishes(turn: Turn): Wishes {
  const toolRequest = readToolRequest(turn.said, turn.tools);
  if (toolRequest !== undefined) return { ...noWishes, toolRequest };
  return splitSentences(turn.said).reduce((wishes, sentence) => addSentence(wishes, sentence, turn.today), noWishes);
}

function addSentence(wishes: Wishes, sentence: Sentence, today: string | undefined): Wishes {
  const text = withoutOpening(sentence.text);
  const note =
    sentence.asks && !/^(?:can|could|would|will) you\b/i.test(text) ? undefined : noteOpening.exec(text)?.[1];
  if (note !== undefined)
    return { ...wishes, notes: [...wishes.notes, note], facts: [...wishes.facts, ...readFacts(note)] };
  const forgotten = forgetOpening.exec(text)?.[1];
  if (forgotten !== undefined) return { ...wishes, forgotten: [...wishes.forgotten, forgotten] };
  const naming = sentence.asks ? undefined : readNaming(text);
  if (naming !== undefined) return { ...wishes, naming };
  if (sentence.asks || /^help$/i.test(text) || /^remember .*\?$/i.test(text)) return addQuestion(wishes, text, today);
  return { ...wishes, facts: [...wishes.facts, ...readFacts(sentence.text)] };
}

function addQuestion(wishes: Wishes, text: string, today: string | undefined): Wishes {
  if (wishes.questions.length >= mostQuestions) return wishes;
  return { ...wishes, questions: [...wishes.questions, readQuestion(text, today)] };
}
