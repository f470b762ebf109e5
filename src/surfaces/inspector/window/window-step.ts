// A model call of a conversation, and the conversation's current window, as `/api` returns them: with the report of a window.
import type { ContextReport } from "../../../store/port/context-report.ts";
import type { CallResult } from "../../client/api-types.ts";

export type WindowStep = CallResult<"GET /agents/:agent/conversations/:conversation/steps">[number];
export type WindowNow = CallResult<"GET /agents/:agent/conversations/:conversation/window">;

export function reportOf({ report }: Pick<WindowStep | WindowNow, "report">): ContextReport {
  return report as unknown as ContextReport;
}
