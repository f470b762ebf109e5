// What the overview says about an agent, from its newest records.
// Invariant: pure; a count that was cut by the limit of its request says so.
import type { CallResult } from "../../client/api-types.ts";
import type { ContextReport } from "../../../store/port/context-report.ts";
import type { Usage } from "../../../base/message/message.ts";

export type ShownAgent = CallResult<"GET /agents">[number];

export interface AgentRecords {
  readonly conversations: CallResult<"GET /agents/:agent/conversations">;
  readonly revisions: CallResult<"GET /agents/:agent/revisions">;
  /** Model calls, newest first. */
  readonly steps: CallResult<"GET /agents/:agent/steps">;
}

/** Maximum number of records of each kind that are requested. */
export const recordLimits = { conversations: 100, revisions: 100, steps: 50 } as const;

export interface Counted {
  readonly count: number;
  /** Whether there may be more. */
  readonly isCut: boolean;
}

export interface AgentSummary {
  /** ISO 8601; null if the agent was never used. */
  readonly lastUsedAt: string | null;
  readonly conversations: Counted;
  readonly changes: Counted;
  /** The window at the last model call; null before the first. */
  readonly window: { readonly tokens: number; readonly limit: number } | null;
  /** The usage of the model calls since yesterday. */
  readonly usage: Usage & { readonly calls: Counted };
}

/** Returns the summary of an agent's records. `since`: the start of yesterday, in milliseconds. */
export function summarize({ conversations, revisions, steps }: AgentRecords, since: number): AgentSummary {
  const isRecent = ({ at }: { readonly at: string }): boolean => Date.parse(at) >= since;
  const recent = steps.filter(isRecent);
  const changes = revisions.filter(isRecent);
  const sum = (name: keyof Usage): number =>
    recent.reduce((total, { usage }) => total + Number((usage as unknown as Usage)[name] ?? 0), 0);
  const [last] = steps;
  const report = last?.report as unknown as ContextReport | undefined;
  return {
    lastUsedAt: latest([last?.at, conversations[0]?.updatedAt]),
    conversations: {
      count: conversations.length,
      isCut: conversations.length >= recordLimits.conversations,
    },
    changes: { count: changes.length, isCut: changes.length >= recordLimits.revisions },
    window: report === undefined ? null : { tokens: report.total, limit: report.window },
    usage: {
      inputTokens: sum("inputTokens"),
      cachedInputTokens: sum("cachedInputTokens"),
      outputTokens: sum("outputTokens"),
      calls: { count: recent.length, isCut: recent.length >= recordLimits.steps },
    },
  };
}

/** Returns the start of the day before, in the reader's time zone. */
export function startOfYesterday(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime();
}

/** Returns the latest moment; null for none. ISO 8601 in UTC sorts by time. */
function latest(moments: readonly (string | undefined)[]): string | null {
  return (
    moments
      .filter((moment) => moment !== undefined)
      .sort()
      .at(-1) ?? null
  );
}
