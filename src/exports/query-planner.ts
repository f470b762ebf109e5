// `palimpsest/query-planner`: sends one query to several memories and returns hits that fit into a token budget.
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
