// Measures the evidence recall of the recall search on conversations in LoCoMo's format, and of plain BM25 in the same run.
// It uses the public runtime: utterances are imported as messages, and questions are asked as a program would ask them.
// Invariant: each conversation has its own agent, so no question finds utterances of another conversation.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import type { RecallSearchOptions } from "../../src/runtime/recall/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { rowOf, type SuiteResult } from "../measure.ts";
import { createBm25 } from "./bm25.ts";
import { type Answered, depths, type Outcome, outcomeOf } from "./evidence.ts";
import { type Listed, placesOf, printPlaces } from "./evidence-places.ts";
import { createIdealReranker } from "./ideal-reranker.ts";
import { type Conversation, type Question, readConversations, type Utterance } from "./read-conversations.ts";

type Weights = NonNullable<RecallSearchOptions["weights"]>;

/** The ingredients of a search, and the weight that turns each one off. */
const ingredients = {
  vectors: "meaning",
  neighbours: "context",
  dates: "date",
  speakers: "speaker",
  rarity: "rarity",
  lengths: "length",
  questions: "question",
  surroundings: "surroundings",
} as const satisfies Readonly<Record<string, keyof Weights>>;

export interface LocomoOptions {
  /** A folder of conversations. */
  readonly data: string;
  /** Ingredients to leave out of one additional row, all together. */
  readonly without: readonly string[];
  /** One additional row without each ingredient. */
  readonly each: boolean;
  /** One additional row with a reranker that knows the evidence, and where the evidence is without it. */
  readonly ideal: boolean;
}

export async function benchLocomo(options: LocomoOptions): Promise<SuiteResult> {
  const settings = settingsOf(options);
  const conversations = readConversations(options.data);
  const reranker = createIdealReranker(conversations);
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const runtime = await createRuntime({
    dataDir: folder,
    timeZone: "UTC",
    ...(options.ideal ? { reranker } : {}),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const answered = listsOf<Answered>(["bm25", ...settings.keys(), ...(options.ideal ? ["ideal reranker"] : [])]);
  const listed: Listed[] = [];
  const times = listsOf<number>([...settings.keys()]);
  try {
    for (const conversation of conversations) {
      const { name: file, utterances, questions } = conversation;
      const ranked = createBm25(utterances);
      answered.get("bm25")?.push(...questions.map((question) => ({ question, found: ranked(question.text) })));
      const ask = await keep(runtime, conversation);
      for (const [name, weights] of settings) {
        const asked = await askAll(questions, (text) => ask.best(text, weights));
        answered.get(name)?.push(...asked);
        times.get(name)?.push(...asked.map(({ ms }) => ms));
      }
      if (options.ideal) {
        listed.push(...(await listAll(questions, ask)));
        reranker.isOn = true;
        answered.get("ideal reranker")?.push(...(await askAll(questions, (text) => ask.best(text, {}))));
        reranker.isOn = false;
      }
      process.stderr.write(`${file}: ${utterances.length} utterances, ${questions.length} questions\n`);
    }
  } finally {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const outcomes = Object.fromEntries([...answered].map(([name, some]) => [name, outcomeOf(some)]));
  printOutcomes(outcomes);
  const places = placesOf(listed);
  if (options.ideal) printPlaces(places);
  return { rows: [...times].map(([name, some]) => rowOf(`a search: ${name}`, some)), more: outcomes };
}

function listsOf<Item>(names: readonly string[]): Map<string, Item[]> {
  return new Map(names.map((name) => [name, []]));
}

/** The weights that differ from the defaults, by the name of the row. */
function settingsOf({ without, each }: LocomoOptions): ReadonlyMap<string, Weights> {
  const settings = new Map<string, Weights>([["default", {}]]);
  const off = (names: readonly string[]): Weights => Object.fromEntries(names.map((name) => [weightOf(name), 0]));
  if (each) for (const name of Object.keys(ingredients)) settings.set(`without ${name}`, off([name]));
  if (without.length > 0) settings.set(`without ${without.join(", ")}`, off(without));
  return settings;
}

function weightOf(name: string): keyof Weights {
  const found = Object.entries(ingredients).find(([ingredient]) => ingredient === name);
  if (found === undefined) {
    throw new Error(`There is no ingredient "${name}". There are: ${Object.keys(ingredients).join(", ")}.`);
  }
  return found[1];
}

async function askAll(
  questions: readonly Question[],
  ask: (text: string) => Promise<readonly number[]>,
): Promise<readonly (Answered & { readonly ms: number })[]> {
  const asked = [];
  for (const question of questions) {
    const started = performance.now();
    const found = await ask(question.text);
    asked.push({ question, found, ms: performance.now() - started });
  }
  return asked;
}

async function listAll(questions: readonly Question[], ask: Ask): Promise<readonly Listed[]> {
  const listed = [];
  for (const { text, evidence } of questions) listed.push({ evidence, hits: await ask.all(text) });
  return listed;
}

interface Ask {
  /** The indices of the first utterances that a search finds, best first. */
  best(question: string, weights: Weights): Promise<readonly number[]>;
  /** All that it finds. */
  all(question: string): Promise<Listed["hits"]>;
}

/** Imports a conversation; returns its searches. */
async function keep(runtime: Runtime, { name, utterances }: Conversation): Promise<Ask> {
  await runtime.agents.create({ name });
  const first = utterances[0]?.speaker;
  const messages = utterances.map(({ speaker, text, at }) => ({
    role: speaker === first ? ("user" as const) : ("assistant" as const),
    speaker,
    text,
    at,
  }));
  await runtime.conversations.import(name, { title: name, messages });
  await runtime.idle();
  const dayOf = (utterance: Utterance | undefined): string => utterance?.at.toISOString().slice(0, 10) ?? "";
  const span = { start: dayOf(utterances[0]), end: dayOf(utterances.at(-1)) };
  const { hits } = await runtime.recall.searchDate(name, span, { pageSize: utterances.length });
  const indexOf = new Map(hits.map(({ id }, index) => [id, index]));
  const search = async (question: string, asked: RecallSearchOptions): Promise<Listed["hits"]> => {
    const page = await runtime.recall.search(name, question, asked);
    if (page.wordsAlone === true) throw new Error("The embedder failed, so this would measure something else.");
    return page.hits.map((hit) => ({ ...hit, utterance: indexOf.get(hit.id) }));
  };
  return {
    async best(question, weights) {
      const found = await search(question, { pageSize: Math.max(...depths), weights });
      return found.flatMap(({ utterance }) => utterance ?? []);
    },
    all: (question) => search(question, { pageSize: utterances.length }),
  };
}

function printOutcomes(outcomes: Readonly<Record<string, Outcome>>): void {
  const names = depths.flatMap((depth) => [`recall@${depth}`, `hit@${depth}`] as const);
  const line = (title: string, shares: Outcome | Outcome["categories"][string]): string =>
    `${title.padEnd(36)}${names.map((name) => shares[name].toFixed(3).padStart(11)).join("")}${String(shares.questions).padStart(8)}\n`;
  process.stdout.write(
    `\nlocomo\n${"".padEnd(36)}${names.map((name) => name.padStart(11)).join("")}${"n".padStart(8)}\n`,
  );
  for (const [name, outcome] of Object.entries(outcomes)) {
    process.stdout.write(line(name, outcome));
    for (const [category, shares] of Object.entries(outcome.categories)) {
      process.stdout.write(line(`  ${category}`, shares));
    }
  }
}
