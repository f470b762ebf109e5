// Conversations in LoCoMo's format for the benchmark: the sets that the evaluation loads, with utterances by their index.
// Invariant: evidence names existing utterances; questions without evidence are left out.
import { readdirSync } from "node:fs";
import path from "node:path";
import type { EvalSet } from "../../src/surfaces/eval/eval-set.ts";
import { loadSets } from "../../src/surfaces/eval/loaders/load-sets.ts";

export interface Utterance {
  readonly speaker: string;
  /** The text, followed by the caption of its picture in brackets, if there is one. */
  readonly text: string;
  /** The time of its session. */
  readonly at: Date;
}

export interface Question {
  readonly text: string;
  /** multi-hop, temporal, inference or single-hop. */
  readonly category: string;
  /** Indices of utterances. */
  readonly evidence: readonly number[];
}

export interface Conversation {
  readonly name: string;
  /** In chronological order. */
  readonly utterances: readonly Utterance[];
  readonly questions: readonly Question[];
}

/** Reads all files `*.json` of a folder. Throws RequestError `input_invalid` that names a file without this format. */
export function readConversations(folder: string): readonly Conversation[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  if (names.length === 0) throw new Error(`Expected conversations as *.json in ${folder}, found none.`);
  return names.flatMap((name) => loadSets(path.join(folder, name), "locomo").map(conversationOf));
}

function conversationOf({ name, conversations, questions }: EvalSet): Conversation {
  const said = conversations.flatMap(({ at, messages }) => messages.map((message) => ({ ...message, at })));
  const indexOf = new Map(said.map(({ id }, index) => [id, index]));
  return {
    name,
    utterances: said.map(({ speaker = "", text, at }) => ({ speaker, text, at: new Date(at) })),
    questions: questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ question, category, evidence }) => ({
        text: question,
        category,
        evidence: evidence.flatMap((id) => indexOf.get(id) ?? []),
      })),
  };
}
