// Arranges ranked search results for a model: of the statements on one subject the newest comes first, the agent's own answers
// follow the statement that they repeat, and questions come last.
// Invariant: pure; the result is a permutation of the given hits, and depends on them alone.
import { onlyAsks } from "../../base/sentences.ts";
import { contentTerms } from "../../base/search-view/search-pieces.ts";
import type { RecallHit } from "../../store/port/recall-store.ts";

export interface ArrangedHit {
  readonly hit: RecallHit;
  /** The id of the statement that the hit follows; null for none. */
  readonly about: string | null;
}

/** Two texts are related if their common terms have at least this share of the weight of all terms of one of the texts. */
const minCommon = 0.4;

/** Returns the hits in the order for a model. `hits`: best first. */
export function arrangeHits(hits: readonly RecallHit[]): readonly ArrangedHit[] {
  const statements = hits.filter((hit) => !isOwn(hit) && !onlyAsks(hit.text));
  const answers = answersOf(hits.filter(isOwn), statements, relationOf(hits));
  const placed = new Map<string, ArrangedHit>();
  const place = (hit: RecallHit, about: string | null): void => {
    if (placed.has(hit.id)) return;
    placed.set(hit.id, { hit, about });
    for (const answer of answers.get(hit.id) ?? []) place(answer, answer.at > hit.at ? hit.id : null);
  };
  const waits = new Set([...answers.values()].flat());
  for (const hit of hits) {
    if (waits.has(hit) || !(isOwn(hit) || statements.includes(hit))) continue;
    const [newest = hit, ...earlier] = groupOf(hit, statements);
    place(newest, null);
    for (const one of earlier) place(one, newest.id);
  }
  for (const hit of hits) place(hit, null);
  return [...placed.values()];
}

/** Returns the statements on the subject of a hit, newest first; none if it has no group. */
function groupOf({ groupId }: RecallHit, statements: readonly RecallHit[]): readonly RecallHit[] {
  if (groupId === undefined) return [];
  return statements
    .filter((one) => one.groupId === groupId)
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

type Relation = (one: RecallHit, other: RecallHit) => boolean;

/**
 * Returns the agent's own messages by the id of the statement that each of them follows: the best related statement
 * that is older than the message, otherwise the best related statement.
 */
function answersOf(
  own: readonly RecallHit[],
  statements: readonly RecallHit[],
  isAbout: Relation,
): ReadonlyMap<string, readonly RecallHit[]> {
  const answers = new Map<string, RecallHit[]>();
  for (const answer of own) {
    const related = statements.filter((statement) => isAbout(answer, statement));
    const statement = related.find(({ at }) => at < answer.at) ?? related[0];
    if (statement !== undefined) answers.set(statement.id, [...(answers.get(statement.id) ?? []), answer]);
  }
  return answers;
}

/** Returns whether the agent itself wrote the message: an imported message with a speaker's name does not count. */
export function isOwn({ role, speaker }: Pick<RecallHit, "role" | "speaker">): boolean {
  return role === "assistant" && speaker === undefined;
}

/** Returns a function that decides whether two texts have enough terms in common; terms that many hits contain count less. */
function relationOf(hits: readonly RecallHit[]): Relation {
  const terms = new Map(hits.map((hit) => [hit.id, contentTerms(hit.text)]));
  const frequency = new Map<string, number>();
  for (const each of terms.values()) for (const term of each) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const weightOf = (of: Iterable<string>): number =>
    [...of].reduce((sum, term) => sum + Math.log(1 + hits.length / (frequency.get(term) ?? 1)), 0);
  const weights = new Map([...terms].map(([id, of]) => [id, weightOf(of)]));
  return (one, other) => {
    const smaller = Math.min(weights.get(one.id) ?? 0, weights.get(other.id) ?? 0);
    const shared = [...(terms.get(one.id) ?? [])].filter((term) => terms.get(other.id)?.has(term));
    return shared.length > 0 && weightOf(shared) >= minCommon * smaller;
  };
}
