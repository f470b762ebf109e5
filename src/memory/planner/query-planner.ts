// Sends one query to several sources, such as memories, and returns recent messages, search results and the user's
// synopsis within a token budget. Modelled on MUXI's query planner.
// Invariant: sources are queried concurrently and for one user; a source that fails loses only its own hits.
import {
  anything,
  type ArgumentCheck,
  callback,
  optional,
  options as optionsOf,
  number,
  record,
  requireCount,
  signal as abortSignal,
  text,
} from "../../base/arguments/argument-checks.ts";
import { clock as clockShape } from "../../base/arguments/port-checks.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import { checkUser } from "../working/working-entry.ts";
import { askSource, type SourceOutcome } from "./ask-sources.ts";
import { decisionOf, fitHits, type HitDecision } from "./fit-hits.ts";
import { type ContextHit, rankHits, type Repetition, type SourceHit } from "./rank-hits.ts";

export interface ContextSourceRequest {
  /** The user whose data is searched; hits must not contain another user's data. */
  readonly user: string;
  /** Maximum number of hits. */
  readonly k: number;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

export interface ContextSourceResult<Hit extends ContextHit = ContextHit> {
  /** Best first; for `recent`, newest first. */
  readonly hits: readonly Hit[];
  /** Why the answer is incomplete. */
  readonly warning?: string;
}

export type ContextSource<Hit extends ContextHit = ContextHit> = (
  query: string,
  ask: ContextSourceRequest,
) => Promise<ContextSourceResult<Hit>>;

/** Returns a text about the user; null if nothing is known. */
export type SynopsisSource = (ask: Pick<ContextSourceRequest, "user" | "signal">) => Promise<string | null>;

export interface QueryPlannerOptions<Hit extends ContextHit = ContextHit> {
  /** Source of the conversation's last messages. */
  readonly recent?: ContextSource<Hit>;
  /** Search sources by name; at equal score, hits of the source listed first rank first. */
  readonly sources: Readonly<Record<string, ContextSource<Hit>>>;
  readonly synopsis?: SynopsisSource;
  readonly countTokens: (text: string) => number;
  /** Renders a hit for the prompt, and so determines its tokens; default: its text. */
  readonly render?: (hit: Hit) => string;
  /** Time-out per source in milliseconds; default 2,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Default number of messages from the end of the conversation. */
export const defaultRecent = 10;

export interface PlanOptions {
  /** Token budget of the whole context; default 4,000. */
  readonly maxTokens?: number;
  /** Number of messages from the end of the conversation; default 10. */
  readonly recent?: number;
  /** Maximum number of hits of each source in `sources`; default 5. */
  readonly k?: number;
  readonly signal?: AbortSignal;
}

export type PlannedHit<Hit extends ContextHit = ContextHit> = Omit<Hit, "score"> & {
  /** The source that ranked the hit best. */
  readonly foundIn: string;
  /** The sum of `1 / (60 + rank)` over the sources that found the hit. */
  readonly score: number;
};

/** The result of querying one source. */
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
  /** Every hit of every source, with the reason why it was taken or dropped. */
  readonly explanation: readonly HitDecision[];
  readonly sources: readonly PlannedSource[];
  /** Sources that failed, were late, or could not answer completely. */
  readonly warnings: readonly string[];
}

const sourceFunctions: ArgumentCheck = (value, place) => {
  record(value, place);
  for (const [name, source] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    callback(source, { ...place, field: `${place.field}.${name}` });
  }
};

const checkOptions = optionsOf<QueryPlannerOptions>({
  recent: optional(callback),
  sources: sourceFunctions,
  synopsis: optional(callback),
  countTokens: callback,
  render: optional(callback),
  timeoutMs: optional(number),
  clock: optional(clockShape),
});

const checkPlan = optionsOf<PlanOptions>({
  // `requireCount` checks these three numbers.
  maxTokens: anything,
  recent: anything,
  k: anything,
  signal: optional(abortSignal),
});

/** Assembles context for a model from the given sources. */
export class QueryPlanner<Hit extends ContextHit = ContextHit> {
  readonly #options: QueryPlannerOptions<Hit>;

  /** Throws ConfigError for a source with a reserved name. */
  constructor(options: QueryPlannerOptions<Hit>) {
    checkOptions(options, { of: "configuration", call: "QueryPlanner", field: "options", isArgument: true });
    const taken = ["recent", "synopsis"].find((name) => Object.hasOwn(options.sources, name));
    if (taken !== undefined)
      throw new ConfigError(`Expected a source name that is not reserved, got "${taken}": rename the source.`);
    this.#options = options;
  }

  /**
   * Returns the context for this user's query. Throws RequestError `input_invalid` for numbers that are not whole and
   * at least 1 (0 for `recent`), and the signal's reason. A source that fails only adds a warning.
   */
  async getContext(query: string, user: string, options: PlanOptions = {}): Promise<PlannedContext<Hit>> {
    const place = { of: "request", call: "planner.getContext", isArgument: true } as const;
    text(query, { ...place, field: "query" });
    checkPlan(options, { ...place, field: "options" });
    const { maxTokens = 4000, recent: recentCount = defaultRecent, k = 5, signal } = options;
    checkUser(user);
    requireCount("maxTokens", maxTokens, 1);
    requireCount("recent", recentCount, 0);
    requireCount("k", k, 1);
    const { countTokens, render = (hit: Hit) => hit.text } = this.#options;
    const { synopses, last, searched } = await this.#ask(query, { user, recentCount, k, signal });
    const recent = last.flatMap((source) => hitsOf(source, recentCount));
    const { kept, repeated } = rankHits(
      searched.flatMap((source) => hitsOf(source, k)),
      recent,
    );
    const cost = ({ hit }: SourceHit<Hit>): number => countTokens(render(hit));
    const synopsis = synopses[0]?.outcome.answer ?? null;
    const fitted = fitHits({ synopsis, recent, ranked: kept }, { maxTokens, cost, count: countTokens });
    return {
      synopsis: fitted.synopsis,
      recent: fitted.recent.map(({ hit }) => hit).reverse(),
      found: fitted.found.map(({ hit, source, score }) => ({ ...hit, foundIn: source, score })),
      tokens: fitted.tokens,
      explanation: [...fitted.decisions, ...repeated.map((repetition) => repeats(repetition, cost(repetition.hit)))],
      sources: [...synopses.map(reportOf), ...[...last, ...searched].map(reportOf)],
      warnings: [...synopses, ...last, ...searched].flatMap(warningsOf),
    };
  }

  /** Queries all sources concurrently. `synopses` and `last` (the recent messages) have at most one outcome each. */
  async #ask(query: string, { user, recentCount, k, signal }: QueryRequest): Promise<Answers<Hit>> {
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
    const [synopses, last, searched] = await Promise.all([
      Promise.all(synopsis === undefined ? [] : [report(synopsis)]),
      Promise.all(recent === undefined || recentCount === 0 ? [] : [search("recent", recent, recentCount)]),
      Promise.all(Object.entries(sources).map(([name, source]) => search(name, source, k))),
    ]);
    return { synopses, last, searched };
  }
}

interface QueryRequest {
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
  readonly synopses: readonly AskedSynopsis[];
  readonly last: readonly AskedSource<Hit>[];
  readonly searched: readonly AskedSource<Hit>[];
}

/** Returns at most `max` hits of a source, so that a source with too many hits does not displace the others. */
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
  return decisionOf(hit, tokens, { outcome: "dropped", reason: `duplicate of hit ${of.rank} of ${of.source}` });
}
