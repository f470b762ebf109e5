// Reads conversations in LoCoMo's form: sessions of turns, and questions with the turns that answer them.
// Invariant: evidence names turns that exist; a question without any is left out, as are categories other than 1 to 4.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

export interface Turn {
  /** As evidence names it. */
  readonly id: string;
  readonly speaker: string;
  /** With the caption of its picture, if it has one, in brackets. */
  readonly text: string;
  /** Of its session. */
  readonly at: Date;
}

export interface Question {
  readonly text: string;
  /** 1 multi-hop, 2 temporal, 3 inference, 4 single-hop. */
  readonly category: number;
  /** Indices of turns. */
  readonly evidence: readonly number[];
}

export interface Conversation {
  readonly name: string;
  /** In the order in which they were said. */
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
}

const turnShape = z.object({
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

/** All files `*.json` of a folder. Throws an Error that names the file when one is not of that form. */
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
  const turns = Object.entries(file)
    .flatMap(([key, value]) => (/^session_\d+$/.test(key) && Array.isArray(value) ? [sessionOf(file, key, value)] : []))
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .flatMap(({ turns: said }) => said);
  const indexOf = new Map(turns.map(({ id }, index) => [id, index]));
  const questions = file.qa.flatMap(({ question, category, evidence }) => {
    const ids = evidence.flatMap((entry) => entry.split(/[;,\s]+/u));
    const found = [...new Set(ids)].flatMap((id) => indexOf.get(id) ?? []);
    return category >= 1 && category <= 4 && found.length > 0 ? [{ text: question, category, evidence: found }] : [];
  });
  return { name, turns, questions };
}

function sessionOf(file: Readonly<Record<string, unknown>>, key: string, said: readonly unknown[]) {
  const at = timeOf(String(file[`${key}_date_time`]));
  const turns = said.map((item) => {
    const { speaker, dia_id: id, text, blip_caption: caption } = turnShape.parse(item);
    return { id, speaker, text: caption === undefined ? text : `${text} [${caption}]`, at };
  });
  return { at, turns };
}

/** "1:56 pm on 8 May, 2023", in UTC. */
function timeOf(text: string): Date {
  const [, clock, day] = /^(\d+:\d+ [ap]m) on (.+)$/i.exec(text.trim()) ?? [];
  const at = new Date(`${day} ${clock} UTC`);
  if (Number.isNaN(at.getTime())) throw new Error(`Expected a time like "1:56 pm on 8 May, 2023", got "${text}".`);
  return at;
}
