// Lines of invented conversations, questions about them, and their vectors from the local embedder.
// Invariant: deterministic; only the machine differs between runs.
import { createLocalEmbedder } from "../src/model/embedding/local/local-embedder.ts";

export interface Embedded {
  readonly text: string;
  readonly vector: readonly number[];
}

export interface Corpus {
  readonly lines: readonly Embedded[];
  readonly questions: readonly Embedded[];
}

export const corpusEmbedder = "local/use-lite";

const names = ["Anna", "Ben", "Chloe", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kira", "Liam"];
/** A verb in the past tense, and in the form of a question. */
const deeds = [
  ["went hiking by the lake", "go hiking by the lake"],
  ["finished the oil painting of the harbour", "finish the oil painting"],
  ["adopted a puppy from the shelter", "adopt a puppy"],
  ["started a pottery class", "start a pottery class"],
  ["ran the charity race in the rain", "run the charity race"],
  ["visited the science museum", "visit the science museum"],
  ["baked a lemon cake for the school", "bake a lemon cake"],
  ["planted tomatoes behind the house", "plant tomatoes"],
  ["repaired the old bicycle", "repair the bicycle"],
  ["moved into a flat near the station", "move into the flat"],
  ["got a job at the public library", "get the job at the library"],
  ["played the violin at a wedding", "play the violin"],
  ["camped in the mountains for three nights", "camp in the mountains"],
  ["read a novel about a blind detective", "read the novel about a detective"],
  ["learned to swim at forty", "learn to swim"],
  ["wrote a song for the band", "write a song"],
  ["cooked a curry for the neighbours", "cook a curry"],
  ["lost the keys of the car", "lose the keys"],
  ["passed the exam in chemistry", "pass the exam in chemistry"],
  ["flew to Lisbon for a conference", "fly to Lisbon"],
  ["broke an arm while skating", "break an arm"],
  ["sold the motorbike to a student", "sell the motorbike"],
  ["joined a choir in the village", "join a choir"],
  ["photographed a fox in the snow", "photograph a fox"],
] as const;
const company = ["with my sister", "with two friends from work", "all alone", "with the kids", "with our old teacher"];
const moments = [
  "last Saturday",
  "in early May",
  "the day before the storm",
  "over Easter",
  "two weeks ago",
  "tonight",
];
const feelings = [
  "It was so peaceful that I forgot the time.",
  "I was terrified at first, and then I laughed about it.",
  "Honestly, I would not do it again.",
  "It reminded me of my grandmother's kitchen.",
  "Everyone says I should do more of that.",
  "The best part was the bread we had afterwards.",
  "My back still hurts, but I am proud.",
];
const answers = [
  "How has your week been?",
  "Did you ever hear back about the loan?",
  "You should come along next time!",
  "I will send you the pictures.",
  "What a year this has been.",
];

/** Generates distinct lines: what somebody reports of their life. */
export function makeLines(count: number): readonly string[] {
  const random = createRandom(20);
  return distinct(count, () => line(random));
}

/** Generates the given numbers of distinct lines and questions with their vectors: about 80 per second. */
export async function makeCorpus(counts: { readonly lines: number; readonly questions: number }): Promise<Corpus> {
  const random = createRandom(20);
  const embedder = createLocalEmbedder();
  try {
    const lines = distinct(counts.lines, () => line(random));
    const questions = distinct(counts.questions, () => question(random));
    return { lines: await embedded(embedder, lines), questions: await embedded(embedder, questions) };
  } finally {
    await embedder.close?.();
  }
}

type Random = () => number;

function line(random: Random): string {
  const [deed] = pick(deeds, random);
  const first = `I ${deed} ${pick(moments, random)}, ${pick(company, random)}.`;
  return `${pick(names, random)}: ${first} ${pick(feelings, random)} ${pick(answers, random)}`;
}

function question(random: Random): string {
  const [, deed] = pick(deeds, random);
  const name = pick(names, random);
  return pick([`When did ${name} ${deed}?`, `Who was there when ${name} ${deed}?`, `Why did ${name} ${deed}?`], random);
}

function distinct(count: number, make: () => string): readonly string[] {
  const made = new Set<string>();
  while (made.size < count) made.add(make());
  return [...made];
}

async function embedded(
  embedder: ReturnType<typeof createLocalEmbedder>,
  texts: readonly string[],
): Promise<readonly Embedded[]> {
  const vectors = await embedder.embed(texts);
  return texts.map((text, at) => ({ text, vector: vectors[at] ?? [] }));
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Returns a deterministic generator of numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
