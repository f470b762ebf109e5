// `palimpsest/query-planner`: one question over several sources, with what fits into a number of tokens.
export type { HitDecision } from "../memory/planner/fit-hits.ts";
export {
  type ContextSource,
  type PlannedContext,
  type PlannedHit,
  type PlannedSource,
  type PlanOptions,
  QueryPlanner,
  type QueryPlannerOptions,
  type ContextSourceResult,
  type ContextSourceRequest,
  type SynopsisSource,
} from "../memory/planner/query-planner.ts";
export type { ContextHit } from "../memory/planner/rank-hits.ts";
