// One run of an agent's retention: drops rows over its limits in batches, and records how many.
// Invariant: dropped rows are recorded in a sweep and logged.
import type { AgentRecord } from "../../store/port/records.ts";
import type { DroppedRows, RetainedKind, SweepRecord } from "../../store/port/retention-store.ts";
import type { OperationDeps } from "./operation-deps.ts";

export type SweepDeps = Pick<OperationDeps, "store" | "ids" | "clock" | "log">;

export const retainedKinds: readonly RetainedKind[] = ["messages", "revisions", "steps", "passages"];

/** Rows per transaction, so that other writers never wait long. */
const batch = 1000;
const none: DroppedRows = { rows: 0, through: null };
const nothingDropped = { messages: none, revisions: none, steps: none, passages: none };

/** Applies all limits now. */
export async function sweepAll(deps: SweepDeps, agent: AgentRecord): Promise<SweepRecord> {
  const begun = newSweep(deps, agent);
  await deps.store.retention.begin({ ...begun, unlessAfter: null });
  return runSweep(deps, agent, begun);
}

/** Applies all limits unless a sweep has begun after `unlessAfter`. */
export async function sweepUnlessDone(deps: SweepDeps, agent: AgentRecord, unlessAfter: Date): Promise<void> {
  const begun = newSweep(deps, agent);
  if (await deps.store.retention.begin({ ...begun, unlessAfter })) await runSweep(deps, agent, begun);
}

/** Drops passages over the limit of the agent's own archive. Returns a notice, or null when it dropped none. */
export async function evictPassages(deps: SweepDeps, agent: AgentRecord): Promise<string | null> {
  const { passages } = agent.settings.retention;
  if (passages === undefined || !(await deps.store.retention.isOver(agent.id, passages))) return null;
  const begun = newSweep(deps, agent);
  await deps.store.retention.begin({ ...begun, unlessAfter: null });
  const dropped = { ...nothingDropped, passages: await dropAll(deps, begun, "passages") };
  if (dropped.passages.rows === 0) return null;
  const { rows } = dropped.passages;
  const gone = rows === 1 ? "the least important passage was" : `the ${rows} least important passages were`;
  const notice = `archival memory of "${agent.name}" was over its limit: ${gone} dropped`;
  deps.log(`${notice}.`);
  return `${notice} (\`runtime.retention.list()\`).`;
}

type NewSweep = Omit<SweepRecord, "dropped">;

function newSweep({ clock, ids }: Pick<OperationDeps, "ids" | "clock">, agent: AgentRecord): NewSweep {
  return { id: ids.next(), agentId: agent.id, at: clock.now(), limits: agent.settings.retention };
}

async function runSweep(
  deps: Pick<OperationDeps, "store" | "log">,
  agent: AgentRecord,
  begun: NewSweep,
): Promise<SweepRecord> {
  const dropped = {
    messages: await dropAll(deps, begun, "messages"),
    revisions: await dropAll(deps, begun, "revisions"),
    steps: await dropAll(deps, begun, "steps"),
    passages: await dropAll(deps, begun, "passages"),
  };
  const done = { ...begun, dropped };
  const text = sweepText(done);
  if (text !== null) deps.log(`Retention of "${agent.name}": ${text}.`);
  return done;
}

async function dropAll(
  { store }: Pick<OperationDeps, "store">,
  begun: NewSweep,
  kind: RetainedKind,
): Promise<DroppedRows> {
  let all: DroppedRows = none;
  for (;;) {
    const { rows, through } = await store.retention.drop({ ...begun, kind, batch });
    all = { rows: all.rows + rows, through: laterOf(all.through, through) };
    if (rows < batch) return all;
  }
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? other : one;
}

function sweepText({ dropped }: SweepRecord): string | null {
  const parts = retainedKinds.flatMap((kind) => {
    const { rows, through } = dropped[kind];
    if (rows === 0) return [];
    return kind === "passages" ? [`${rows} passages`] : [`${rows} ${kind} up to ${through?.toISOString() ?? "now"}`];
  });
  return parts.length === 0 ? null : `dropped ${parts.join(", ")}`;
}
