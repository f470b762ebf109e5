// What a model call used, also where its provider reports nothing.
// Invariant: what is stored and shown as usage is what the provider reported; this is only for limits.
import type { ContextReport } from "../memory/context-report.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { Usage } from "../message/message.ts";
import type { AgentDeps } from "./turn.ts";

export interface CompletedCall {
  readonly usage: Usage;
  readonly report: ContextReport;
}

/** As reported; as estimated from the counts of request and reply when the provider reports no input. */
export function callUsage(
  { calibration }: Pick<AgentDeps, "calibration">,
  { usage, report }: CompletedCall,
  { tokens }: Pick<StoredMessage, "tokens">,
): Usage {
  if (usage.inputTokens > 0) return usage;
  return { inputTokens: report.total, outputTokens: calibration.scale.reported(tokens), cachedInputTokens: 0 };
}
