// Summarizes the newest records of agents for the first page.
// Invariant: pure; each count says whether the limit of its request may have cut off records.
import type { CallResult } from "../../client/api-types.ts";
import type { ContextReport } from "../../../store/port/context-report.ts";
import type { Usage } from "../../../base/message/message.ts";
import { authorText, isImport, originTexts } from "../memory/revision-author.ts";

export type ShownAgent = CallResult<"GET /agents">[number];
type Passage = CallResult<"GET /agents/:agent/archive">[number];
type Revision = CallResult<"GET /agents/:agent/revisions">[number];

export interface AgentRecords {
  readonly conversations: CallResult<"GET /agents/:agent/conversations">;
  /** Changes of core memory, newest first. */
  readonly revisions: readonly Revision[];
  /** Passages of the archive, newest first. */
  readonly passages: readonly Passage[];
  /** Model calls, newest first. */
  readonly steps: CallResult<"GET /agents/:agent/steps">;
  readonly approvals: CallResult<"GET /agents/:agent/approvals">;
  /** Runs of consolidation, newest first. */
  readonly consolidations: CallResult<"GET /agents/:agent/consolidations">;
  /** The last run of each schedule, with the schedule's text. */
  readonly lastRuns: readonly (CallResult<"GET /schedules/:schedule/runs">[number] & { readonly text: string })[];
}

/** Maximum number of records of each kind that are requested. */
export const recordLimits = {
  conversations: 100,
  revisions: 100,
  passages: 100,
  steps: 50,
  consolidations: 10,
} as const;

export interface Counted {
  readonly count: number;
  /** Whether there may be more records than `count`. */
  readonly isCut: boolean;
}

export interface AgentSummary {
  /** The time in ISO 8601; null if the agent was never used. */
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

/** A change of core memory. */
export interface LearnedRevision {
  readonly agent: ShownAgent;
  readonly revision: Revision;
  /** Whether a later revision undid the change. */
  readonly isUndone: boolean;
}

/** A passage that was added to an archive, and not imported. */
export interface LearnedPassage {
  readonly agent: ShownAgent;
  readonly passage: Passage;
  /** The passages that it replaced. */
  readonly replaced: readonly Passage[];
}

export type Learned = LearnedRevision | LearnedPassage;

type AgentLearned = {
  readonly agent: ShownAgent;
  readonly records: Pick<AgentRecords, "revisions" | "passages"> | null;
};

/**
 * Returns the changes of core memory and of the archives of these agents since a time, newest first, without imports. A
 * change of a module that several agents hold is returned once.
 */
export function learnedSince(agents: readonly AgentLearned[], since: number): readonly Learned[] {
  const found = new Map<string, Learned>();
  for (const { agent, records } of agents) {
    const { revisions = [], passages = [] } = records ?? {};
    const undone = new Set(revisions.map(({ moduleId, undoes }) => `${moduleId} ${undoes}`));
    for (const revision of revisions) {
      const key = `${revision.moduleId} ${revision.revision}`;
      if (Date.parse(revision.at) < since || isImport(revision) || found.has(key)) continue;
      found.set(key, { agent, revision, isUndone: undone.has(key) });
    }
    for (const passage of passages) {
      if (Date.parse(passage.at) < since || passage.origin === "import") continue;
      found.set(passage.id, {
        agent,
        passage,
        replaced: passages.filter(({ replacedBy }) => replacedBy === passage.id),
      });
    }
  }
  return [...found.values()].sort((one, other) => timeOf(other) - timeOf(one) || numberOf(other) - numberOf(one));
}

/** Returns whether the limits of the requests may have cut off changes since a time. */
export function isLearnedCut(agents: readonly AgentLearned[], since: number): boolean {
  return agents.some(({ records }) =>
    (["revisions", "passages"] as const).some((kind) => {
      const last = records?.[kind][recordLimits[kind] - 1];
      return last !== undefined && Date.parse(last.at) >= since;
    }),
  );
}

/** Consecutive changes by one author to the memory of one agent. */
export interface LearnedGroup {
  readonly agent: ShownAgent;
  readonly author: string;
  /** At least one change, newest first. */
  readonly changes: readonly Learned[];
}

/** Returns the same changes in the same order, in groups. */
export function learnedGroups(changes: readonly Learned[]): readonly LearnedGroup[] {
  const groups: (LearnedGroup & { readonly changes: Learned[] })[] = [];
  for (const change of changes) {
    const { agent } = change;
    const author = "revision" in change ? authorText(change.revision) : originTexts[change.passage.origin];
    const last = groups.at(-1);
    if (last?.agent.id === agent.id && last.author === author) last.changes.push(change);
    else groups.push({ agent, author, changes: [change] });
  }
  return groups;
}

function timeOf(change: Learned): number {
  return Date.parse("revision" in change ? change.revision.at : change.passage.at);
}

function numberOf(change: Learned): number {
  return "revision" in change ? change.revision.revision : 0;
}

/** Returns the start of the day `days` days before `now`, in the reader's time zone, in milliseconds since 1970. */
export function startOfDay(now: Date, days: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
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
