// Searches messages: builds the parameters of the database function, and converts its rows.
// Invariant: one round trip per search. The candidates depend on the query alone, not on the page, so pages do not overlap and
// `total` is the number of candidates.
import { storableJson, storableText } from "../../base/code-points.ts";
import type { RecallHit, RecallQuery, RecallWeights } from "../port/recall-store.ts";
import type { Page } from "../port/page.ts";
import type { HitExplanation } from "../../base/search-view/search-explanation.ts";
import { messageOfRow, type MessageRow } from "../conversations/message-rows.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "../pages.ts";
import { longQueries, searchTermsOf } from "./search-terms.ts";
import type { UserContext } from "../connection/database.ts";
import { spanTexts } from "../stored-values.ts";
import { vectorText } from "../vectors/vector-text.ts";

/** Length of a pause that ends a sitting (six hours). Messages before the pause are not context for messages after it. */
export const sittingSeconds = 21_600;

/** These weights, and the constants below, were the best in measurements on conversations (docs/benchmarks.md). */
const defaultWeights: RecallWeights = {
  meaning: 0.7,
  literal: 1,
  context: 1,
  date: 1,
  speaker: 1,
  rarity: 0.5,
  length: 0.2,
  question: 0.1,
  surroundings: 0.2,
};

const ownWeight = 3;

/**
 * Weight of a question's words in the score of the next message, because answers seldom repeat them. Other neighbours'
 * words: 1.
 */
const answeredWeight = 2;

/** Maximum candidates by words and by meaning. The neighbours of the best `expanded` candidates by words are candidates too. */
const wordCandidates = 100;
const meaningCandidates = 50;
const expanded = 20;

/** A neighbour is a candidate only with at least this share of the best score by words. A common word alone scores less. */
const minShare = 2 / 3;

/** The ranks and scores of a hit, from the database function. */
export interface RankedRow {
  readonly score: number;
  readonly word_rank: number | null;
  readonly word_score: number | null;
  readonly meaning_rank: number | null;
  readonly cosine: number | null;
  readonly literal: boolean;
  readonly group_id: string | null;
}

interface HitRow extends MessageRow, RankedRow {
  readonly context: number | null;
  readonly bonus: number | null;
}

export async function searchByText(
  { statement }: Pick<UserContext, "statement">,
  query: RecallQuery,
  text: string,
): Promise<Page<RecallHit>> {
  const asked = askedOf(query, text);
  if (asked.pattern === null) return emptyPage;
  const rows = await statement<PageRow<HitRow>>(searchMessages, [
    query.agentId,
    storableJson(asked),
    offsetOf(query),
    query.pageSize,
  ]);
  return pageOf<HitRow, RecallHit>(rows, (row) => ({
    ...messageOfRow(row),
    explanation: explanationOf(row),
    ...(row.group_id === null ? {} : { groupId: row.group_id }),
  }));
}

/** Returns the parameters as JSON, in which undefined filters are omitted. */
function askedOf(query: RecallQuery, text: string) {
  const { pattern, isLiteral, words, terms, innerWords } = searchTermsOf(text);
  const weights = { ...defaultWeights, ...query.weights };
  return {
    pattern,
    literal: isLiteral,
    words,
    terms: terms ?? undefined,
    inner_words: innerWords,
    ...meaningOf(query, isLiteral || weights.meaning === 0),
    ...spanTexts(query.span),
    said_by: query.speaker,
    by_time: query.order,
    except_turn: query.exceptTurnId,
    grouped: query.grouped === true ? true : undefined,
    all_branches: query.includeAbandoned ?? false,
    time_zone: query.timeZone ?? "UTC",
    word_candidates: wordCandidates,
    meaning_candidates: meaningCandidates,
    expanded,
    sitting_seconds: sittingSeconds,
    min_share: minShare,
    own_weight: ownWeight,
    context_weight: weights.context,
    answered_weight: answeredWeight,
    date_weight: weights.date,
    speaker_weight: weights.speaker,
    rarity_weight: weights.rarity,
    meaning_weight: weights.meaning * (query.meaning?.weight ?? 1),
    literal_weight: weights.literal,
    length_weight: weights.length,
    question_weight: weights.question,
    surroundings_weight: weights.surroundings,
    ...longQueries,
  };
}

/** Returns the parameters of a search by meaning; none if the search is only by words. */
export function meaningOf({ meaning }: Pick<RecallQuery, "meaning">, isByWords: boolean) {
  if (isByWords || meaning === null || meaning === undefined) return {};
  const { vector, embedder, dimensions, floor } = meaning;
  return { vector: vectorText(vector, dimensions), dimensions, embedder: storableText(embedder), floor };
}

function explanationOf(row: HitRow): HitExplanation {
  const { score, word_rank, word_score, context, meaning_rank, cosine, literal, bonus } = row;
  return {
    score,
    words:
      word_rank === null || word_score === null ? null : { rank: word_rank, score: word_score, context: context ?? 0 },
    meaning: cosine === null ? null : { rank: meaning_rank, cosine },
    literal,
    ...(bonus === null ? {} : { bonus }),
  };
}

/**
 * Calls a database function that filters by the transaction's user itself, because under a policy PostgreSQL does not
 * use an index for text. $1 agent, $2 the query as JSON, $3 rows to skip, $4 page size. Returns no row for an agent
 * that the user may not use.
 */
const searchMessages = "select * from search_messages($1::uuid, $2::text::jsonb, $3::int, $4::int)";
