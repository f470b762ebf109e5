// One question over all kinds of memory: what is recent, what was found, and who the user is, within a number of tokens.
// After MUXI's query planner. Invariant: sources are asked side by side and for one user; one that fails costs its own hits.
import { type Clock, systemClock } from "../../base/clock.ts";
import { ConfigError, RequestError } from "../../errors.ts";
import { checkUser } from "../working/working-entry.ts";
import { askSource, type SourceOutcome } from "./ask-sources.ts";
import { decisionOf, fitHits, type HitDecision } from "./fit-hits.ts";
import { type ContextHit, rankHits, type Repetition, type SourceHit } from "./rank-hits.ts";

export interface ContextSourceRequest {
  /** Nobody else's may be found. */
  readonly user: string;
  /** How many hits are wanted. */
  readonly k: number;
  /** Aborts when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}

export interface ContextSourceResult<Hit extends ContextHit = ContextHit> {
  /** Best first; of `recent`, newest first. */
  readonly hits: readonly Hit[];
  /** What kept the source from answering in full. */
  readonly warning?: string;
}

export type ContextSource<Hit extends ContextHit = ContextHit> = (
  query: string,
  ask: ContextSourceRequest,
) => Promise<ContextSourceResult<Hit>>;

/** What is known of a user, as a text; null when nothing is. */
export type SynopsisSource = (ask: Pick<ContextSourceRequest, "user" | "signal">) => Promise<string | null>;

export interface QueryPlannerOptions<Hit extends ContextHit = ContextHit> {
  /** The end of the conversation. */
  readonly recent?: ContextSource<Hit>;
  /** Whatever can be searched, by name; of equal hits those of the source that is named first. */
  readonly sources: Readonly<Record<string, ContextSource<Hit>>>;
  readonly synopsis?: SynopsisSource;
  readonly countTokens: (text: string) => number;
  /** How a hit will be written; default: its text. Its tokens are counted so. */
  readonly render?: (hit: Hit) => string;
  /** Milliseconds that a source may take; default 2,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Messages from the end of the conversation, unless a question says how many. */
export const usualRecent = 10;

export interface PlanOptions {
  /** Tokens of everything; default 4,000. */
  readonly maxTokens?: number;
  /** Messages from the end of the conversation; default 10. */
  readonly recent?: number;
  /** Hits of each other source; default 5. */
  readonly k?: number;
  readonly signal?: AbortSignal;
}

export type PlannedHit<Hit extends ContextHit = ContextHit> = Omit<Hit, "score"> & {
  /** The name of the source that had it best. */
  readonly foundIn: string;
  /** The sum of `1 / (60 + rank)` over the sources that had it. */
  readonly score: number;
};

/** How one source was asked, and what it gave. */
export interface PlannedSource {
  readonly name: string;
  readonly status: "ok" | "failed" | "late";
  readonly ms: number;
  readonly hits: number;
}

export interface PlannedContext<Hit extends ContextHit = ContextHit> {
  readonly synopsis: string | null;
  /** Oldest first, without a gap. */
  readonly recent: readonly Hit[];
  /** Best first. */
  readonly found: readonly PlannedHit<Hit>[];
  readonly tokens: number;
  /** Every hit of every source, and why it is here or not. */
  readonly explanation: readonly HitDecision[];
  readonly sources: readonly PlannedSource[];
  /** What failed, was late, or could not answer in full. */
  readonly warnings: readonly string[];
}

/** Plans what to tell a model, from the sources it is given. */
export class QueryPlanner<Hit extends ContextHit = ContextHit> {
  readonly #options: QueryPlannerOptions<Hit>;

  /** Throws ConfigError for a source under a name that has a meaning of its own. */
  constructor(options: QueryPlannerOptions<Hit>) {
    const taken = ["recent", "synopsis"].find((name) => Object.hasOwn(options.sources, name));
    if (taken !== undefined) throw new ConfigError(`Expected another name for a source than "${taken}".`);
    this.#options = options;
  }

  /**
   * What to tell a model that is asked this by this user. Throws RequestError `input_invalid` for numbers that are no whole
   * ones of at least 1 (`recent`: 0), and the signal's reason; a failing source is a warning.
   */
  async getContext(query: string, user: string, options: PlanOptions = {}): Promise<PlannedContext<Hit>> {
    const { maxTokens = 4000, recent: recentCount = usualRecent, k = 5, signal } = options;
    checkUser(user);
    checkCount("maxTokens", maxTokens, 1);
    checkCount("recent", recentCount, 0);
    checkCount("k", k, 1);
    const { countTokens, render = (hit: Hit) => hit.text } = this.#options;
    const { told, last, searched } = await this.#ask(query, { user, recentCount, k, signal });
    const recent = last.flatMap((source) => hitsOf(source, recentCount));
    const { kept, repeated } = rankHits(
      searched.flatMap((source) => hitsOf(source, k)),
      recent,
    );
    const cost = ({ hit }: SourceHit<Hit>): number => countTokens(render(hit));
    const synopsis = told[0]?.outcome.answer ?? null;
    const fitted = fitHits({ synopsis, recent, ranked: kept }, { maxTokens, cost, count: countTokens });
    return {
      synopsis: fitted.synopsis,
      recent: fitted.recent.map(({ hit }) => hit).reverse(),
      found: fitted.found.map(({ hit, source, score }) => ({ ...hit, foundIn: source, score })),
      tokens: fitted.tokens,
      explanation: [...fitted.decisions, ...repeated.map((repetition) => repeats(repetition, cost(repetition.hit)))],
      sources: [...told.map(reportOf), ...[...last, ...searched].map(reportOf)],
      warnings: [...told, ...last, ...searched].flatMap(warningsOf),
    };
  }

  /** Everything at once. `reported` is the synopsis and `last` the end of the conversation, if there are such sources. */
  async #ask(query: string, { user, recentCount, k, signal }: Wish): Promise<Answers<Hit>> {
    const { sources, synopsis, recent, clock = systemClock, timeoutMs = 2000 } = this.#options;
    const asking = { clock, timeoutMs, signal };
    const search = async (name: string, source: ContextSource<Hit>, wanted: number): Promise<AskedSource<Hit>> => {
      const outcome = await askSource((own) => source(query, { user, k: wanted, signal: own }), asking);
      return { name, outcome };
    };
    const report = async (source: SynopsisSource): Promise<AskedSynopsis> => {
      const outcome = await askSource((own) => source({ user, signal: own }), asking);
      return { name: "synopsis", outcome };
    };
    const [told, last, searched] = await Promise.all([
      Promise.all(synopsis === undefined ? [] : [report(synopsis)]),
      Promise.all(recent === undefined || recentCount === 0 ? [] : [search("recent", recent, recentCount)]),
      Promise.all(Object.entries(sources).map(([name, source]) => search(name, source, k))),
    ]);
    return { told, last, searched };
  }
}

interface Wish {
  readonly user: string;
  readonly recentCount: number;
  readonly k: number;
  readonly signal: AbortSignal | undefined;
}

interface AskedSource<Hit extends ContextHit> {
  readonly name: string;
  readonly outcome: SourceOutcome<ContextSourceResult<Hit>>;
}

interface AskedSynopsis {
  readonly name: "synopsis";
  readonly outcome: SourceOutcome<string | null>;
}

interface Answers<Hit extends ContextHit> {
  readonly told: readonly AskedSynopsis[];
  readonly last: readonly AskedSource<Hit>[];
  readonly searched: readonly AskedSource<Hit>[];
}

/** A source that gives more than it was asked for does not push out others. */
function hitsOf<Hit extends ContextHit>({ name, outcome }: AskedSource<Hit>, max: number): readonly SourceHit<Hit>[] {
  return (outcome.answer?.hits ?? []).slice(0, max).map((hit, at) => ({ source: name, rank: at + 1, hit }));
}

function reportOf({ name, outcome }: AskedSource<ContextHit> | AskedSynopsis): PlannedSource {
  const { status, ms, answer } = outcome;
  const hits = answer === null || typeof answer === "string" ? Number(answer !== null) : answer.hits.length;
  return { name, status, ms, hits };
}

function warningsOf({ name, outcome }: AskedSource<ContextHit> | AskedSynopsis): readonly string[] {
  const { failure, answer } = outcome;
  if (failure !== null) return [`${name} was left out: ${failure}`];
  if (answer === null || typeof answer === "string" || answer.warning === undefined) return [];
  return [`${name}: ${answer.warning}`];
}

function repeats({ hit, of }: Repetition, tokens: number): HitDecision {
  return decisionOf(hit, tokens, { outcome: "dropped", reason: `the same as ${of.source} ${of.rank}` });
}

function checkCount(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new RequestError(
    "input_invalid",
    `Expected \`${name}\` to be a whole number of at least ${min}, got ${value}.`,
  );
}
