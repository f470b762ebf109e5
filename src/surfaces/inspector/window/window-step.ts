// Types of what `/api` returns for one step of a conversation and for its current window. Both contain the report of a window.
import type { ContextReport } from "../../../store/port/context-report.ts";
import type { CallResult } from "../../client/api-types.ts";

export type WindowStep = CallResult<"GET /agents/:agent/conversations/:conversation/steps">[number];
export type WindowNow = CallResult<"GET /agents/:agent/conversations/:conversation/window">;

export function reportOf({ report }: Pick<WindowStep | WindowNow, "report">): ContextReport {
  return report as unknown as ContextReport;
}
