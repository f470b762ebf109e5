// Computes the share of the evidence among the first results, overall and by category of question.
// Invariant: an utterance counts once, however often it is found; every question has equal weight.
import type { Question } from "./read-conversations.ts";

export const depths = [5, 10, 20] as const;

/** The share of a question's evidence among its first 5, 10 and 20 results, and whether they contain any of it. */
export type Shares = Readonly<Record<`recall@${(typeof depths)[number]}` | `hit@${(typeof depths)[number]}`, number>>;

export interface Outcome extends Shares {
  readonly questions: number;
  readonly categories: Readonly<Record<string, Shares & { readonly questions: number }>>;
}

export interface Answered {
  readonly question: Question;
  /** Indices of utterances, best first. */
  readonly found: readonly number[];
}

export function outcomeOf(answered: readonly Answered[]): Outcome {
  const categories = [...new Set(answered.map(({ question }) => question.category))].sort();
  const shares = (some: readonly Answered[]) => ({ questions: some.length, ...meanOf(some.map(sharesOf)) });
  return {
    ...shares(answered),
    categories: Object.fromEntries(
      categories.map((category) => [
        category,
        shares(answered.filter(({ question }) => question.category === category)),
      ]),
    ),
  };
}

function sharesOf({ question: { evidence }, found }: Answered): Shares {
  const heldBy = (depth: number): number => {
    const first = new Set(found.slice(0, depth));
    return evidence.filter((utterance) => first.has(utterance)).length;
  };
  const entries = depths.flatMap((depth) => [
    [`recall@${depth}`, heldBy(depth) / evidence.length],
    [`hit@${depth}`, heldBy(depth) > 0 ? 1 : 0],
  ]);
  return Object.fromEntries(entries);
}

function meanOf(all: readonly Shares[]): Shares {
  const names = Object.keys(all[0] ?? {}) as (keyof Shares)[];
  const mean = (name: keyof Shares) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return Object.fromEntries(names.map((name) => [name, mean(name)])) as unknown as Shares;
}
