// Searches passages: builds the parameters of the database function, and converts its rows.
// Invariant: one round trip per search. The candidates depend on the query alone, not on the page, so pages do not overlap and
// `total` is the number of candidates.
import { storableJson } from "../../base/code-points.ts";
import type { PassageHit, PassageQuery } from "../port/passage-store.ts";
import type { Page } from "../port/page.ts";
import { defaultSearchWeights } from "../port/search-weights.ts";
import type { HitExplanation } from "../../base/search-view/search-explanation.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "../pages.ts";
import { passageOfRow, type PassageRow } from "../archive/passage-rows.ts";
import { longQueries, searchTermsOf } from "./search-terms.ts";
import type { UserContext } from "../connection/database.ts";
import { meaningOf, type RankedRow } from "./message-search.ts";
import { isUuid, spanTexts, timeOf, timeText } from "../stored-values.ts";

/** Maximum candidates by words and by meaning. More candidates do not change the ranking of the first pages. */
const wordCandidates = 100;
const meaningCandidates = 50;
/**
 * A word that a quarter of the newest passages and more than `common` in all contain selects no hits, unless the other words
 * select fewer than `min_selected`. Ranking 5,000 passages takes as long as comparing 10,000 vectors.
 * `common` must not be less than the size of the sample of the newest.
 */
const commonWords = { common: 1000, min_selected: 10 } as const;

interface HitRow extends PassageRow, RankedRow {
  readonly identifier: boolean;
  readonly weight: number;
  readonly replacement: (Omit<NonNullable<PassageHit["replacement"]>, "at"> & { readonly at: string }) | null;
}

/** For a query without a text: matches every passage, sorted by time like the matches of any literal. */
const anyText = { pattern: "%", isLiteral: true, words: "", terms: null, identifiers: null, innerWords: "" };

export async function searchIn(
  { statement }: Pick<UserContext, "statement">,
  query: PassageQuery,
): Promise<Page<PassageHit>> {
  const asked = askedOf(query);
  if (!isUuid(query.agentId) || (asked.pattern === undefined && asked.vector === undefined)) return emptyPage;
  const rows = await statement<PageRow<HitRow>>(searchPassages, [
    query.agentId,
    storableJson(asked),
    offsetOf(query),
    query.pageSize,
  ]);
  return pageOf<HitRow, PassageHit>(rows, hitOfRow);
}

/** Returns the parameters as JSON, in which undefined filters are omitted. */
function askedOf({ text, meaning, weights, now, ...filter }: PassageQuery) {
  const { pattern, isLiteral, words, terms, identifiers, innerWords } = text === null ? anyText : searchTermsOf(text);
  const weight = { ...defaultSearchWeights, ...weights };
  return {
    pattern: pattern ?? undefined,
    literal: isLiteral,
    words,
    terms: terms ?? undefined,
    identifiers: identifiers ?? undefined,
    inner_words: innerWords,
    ...meaningOf({ meaning }, isLiteral),
    tags: given(filter.tags),
    all_tags: given(filter.allTags),
    kinds: given(filter.kinds),
    sources: given(filter.sources),
    ...spanTexts(filter.span),
    now: timeText(now),
    grouped: filter.grouped === true ? true : undefined,
    importance: filter.minImportance,
    word_candidates: wordCandidates,
    meaning_candidates: meaningCandidates,
    meaning_weight: weight.meaning * (meaning?.weight ?? 1),
    literal_weight: weight.literal,
    importance_weight: weight.importance,
    ...longQueries,
    ...commonWords,
  };
}

function given(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined || values.length === 0 ? undefined : values;
}

function hitOfRow(row: HitRow): PassageHit {
  const { replacement, group_id: groupId } = row;
  return {
    ...passageOfRow(row),
    ...(replacement === null ? {} : { replacement: { ...replacement, at: timeOf(replacement.at) } }),
    explanation: explanationOf(row),
    ...(groupId === null ? {} : { groupId }),
  };
}

function explanationOf(row: HitRow): HitExplanation {
  const { word_rank, word_score, meaning_rank, cosine } = row;
  return {
    score: row.score,
    words: word_rank === null || word_score === null ? null : { rank: word_rank, score: word_score },
    meaning: cosine === null ? null : { rank: meaning_rank, cosine },
    literal: row.literal,
    identifier: row.identifier,
    // Rounded, because four digits of a value that changes continuously are precise enough.
    importance: Math.round(row.weight * 10_000) / 10_000,
  };
}

/**
 * Calls a database function that filters by the transaction's user itself, because under a policy PostgreSQL does not
 * use an index for text. $1 agent, $2 the query as JSON, $3 rows to skip, $4 page size. Returns no row for an agent
 * that the user may not use.
 */
const searchPassages = "select * from search_passages($1::uuid, $2::text::jsonb, $3::int, $4::int)";
