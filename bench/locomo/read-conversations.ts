// Reads conversations in LoCoMo's format: sessions of utterances, and questions with the utterances that answer them.
// Invariant: evidence names existing utterances; questions without evidence and categories other than 1 to 4 are left out.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

export interface Utterance {
  /** The id that evidence refers to. */
  readonly id: string;
  readonly speaker: string;
  /** The text, followed by the caption of its picture in brackets, if there is one. */
  readonly text: string;
  /** The time of its session. */
  readonly at: Date;
}

export interface Question {
  readonly text: string;
  /** 1 multi-hop, 2 temporal, 3 inference, 4 single-hop. */
  readonly category: number;
  /** Indices of utterances. */
  readonly evidence: readonly number[];
}

export interface Conversation {
  readonly name: string;
  /** In chronological order. */
  readonly utterances: readonly Utterance[];
  readonly questions: readonly Question[];
}

const utteranceShape = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const fileShape = z
  .object({
    qa: z.array(
      z.object({ question: z.string(), category: z.number(), evidence: z.array(z.string()).default([]) }).loose(),
    ),
  })
  .loose();

/** Reads all files `*.json` of a folder. Throws an Error that names a file without this format. */
export function readConversations(folder: string): readonly Conversation[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  if (names.length === 0) throw new Error(`Expected conversations as *.json in ${folder}, found none.`);
  return names.map((name) => {
    try {
      return conversationOf(name, fileShape.parse(JSON.parse(readFileSync(path.join(folder, name), "utf8"))));
    } catch (error) {
      throw new Error(`${name} is no conversation in LoCoMo's form.`, { cause: error });
    }
  });
}

function conversationOf(name: string, file: z.infer<typeof fileShape>): Conversation {
  const utterances = Object.entries(file)
    .flatMap(([key, value]) => (/^session_\d+$/.test(key) && Array.isArray(value) ? [sessionOf(file, key, value)] : []))
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .flatMap(({ utterances: said }) => said);
  const indexOf = new Map(utterances.map(({ id }, index) => [id, index]));
  const questions = file.qa.flatMap(({ question, category, evidence }) => {
    const ids = evidence.flatMap((entry) => entry.split(/[;,\s]+/u));
    const found = [...new Set(ids)].flatMap((id) => indexOf.get(id) ?? []);
    return category >= 1 && category <= 4 && found.length > 0 ? [{ text: question, category, evidence: found }] : [];
  });
  return { name, utterances, questions };
}

function sessionOf(file: Readonly<Record<string, unknown>>, key: string, said: readonly unknown[]) {
  const at = timeOf(String(file[`${key}_date_time`]));
  const utterances = said.map((item) => {
    const { speaker, dia_id: id, text, blip_caption: caption } = utteranceShape.parse(item);
    return { id, speaker, text: caption === undefined ? text : `${text} [${caption}]`, at };
  });
  return { at, utterances };
}

/** "1:56 pm on 8 May, 2023", in UTC. */
function timeOf(text: string): Date {
  const [, clock, day] = /^(\d+:\d+ [ap]m) on (.+)$/i.exec(text.trim()) ?? [];
  const at = new Date(`${day} ${clock} UTC`);
  if (Number.isNaN(at.getTime())) throw new Error(`Expected a time like "1:56 pm on 8 May, 2023", got "${text}".`);
  return at;
}
