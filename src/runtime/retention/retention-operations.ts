// Applies retention: drops rows beyond an agent's limits in batches, on request and in the background. There, passages are
// checked after each turn, everything else at most once a day.
// Invariant: dropped rows are recorded in a sweep and logged. An agent without limits costs nothing, and a failure does
// not fail the turn.
import type { Upkeep } from "../../agent/turn.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { DroppedRows, RetainedKind, SweepRecord } from "../../store/port/retention-store.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import type { RetentionOperations } from "./contract.ts";

type SweepDeps = Pick<OperationDeps, "store" | "ids" | "clock" | "log">;

export function createRetentionOperations(deps: SweepDeps & Pick<OperationDeps, "defaults">): RetentionOperations {
  return {
    apply: async (name) => sweepAll(deps, await findAgent(deps, name)),
    list: async (name, limit = 20) => deps.store.retention.list((await findReadable(deps, name)).id, limit),
  };
}

const retainedKinds: readonly RetainedKind[] = ["messages", "revisions", "steps", "passages"];

/** Rows per transaction: few enough that other writers do not wait long. */
const batch = 1000;
const none: DroppedRows = { rows: 0, through: null };
const nothingDropped = { messages: none, revisions: none, steps: none, passages: none };

/** Applies all limits now. */
async function sweepAll(deps: SweepDeps, agent: AgentRecord): Promise<SweepRecord> {
  const begun = newSweep(deps, agent);
  await deps.store.retention.begin({ ...begun, unlessAfter: null });
  return runSweep(deps, agent, begun);
}

/** Applies all limits unless a sweep has begun after `unlessAfter`. */
async function sweepUnlessDone(deps: SweepDeps, agent: AgentRecord, unlessAfter: Date): Promise<void> {
  const begun = newSweep(deps, agent);
  if (await deps.store.retention.begin({ ...begun, unlessAfter })) await runSweep(deps, agent, begun);
}

/** Drops passages over the limit of the agent's own archive. Returns a notice, or null when it dropped none. */
export async function evictPassages(deps: SweepDeps, agent: AgentRecord): Promise<string | null> {
  const { passages } = agent.settings.retention;
  if (passages === undefined || !(await deps.store.retention.isOver(agent.id, passages))) return null;
  const begun = { ...newSweep(deps, agent), limits: { passages } };
  await deps.store.retention.begin({ ...begun, unlessAfter: null });
  const dropped = { ...nothingDropped, passages: await dropAll(deps, begun, "passages") };
  if (dropped.passages.rows === 0) return null;
  const { rows } = dropped.passages;
  const gone = rows === 1 ? "1 passage was" : `${rows} passages were`;
  const notice = `archival memory of "${agent.name}" was over its limit: ${gone} dropped`;
  deps.log(`${notice}.`, "info");
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
  if (text !== null) deps.log(`Retention of "${agent.name}": ${text}.`, "info");
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

type UpkeepDeps = SweepDeps & Pick<OperationDeps, "background">;

const dayMs = 86_400_000;

/** Returns the work that applies the limits after turns; null for an agent without limits. */
export function retentionUpkeep(deps: UpkeepDeps, agent: AgentRecord): Upkeep | null {
  if (retainedKinds.every((kind) => agent.settings.retention[kind] === undefined)) return null;
  const daily = createDailySweep(deps, agent);
  let notices: string[] = [];
  return {
    afterTurn() {
      daily();
      deps.background.run(`Retention of "${agent.name}"`, async () => {
        const notice = await evictPassages(deps, agent);
        if (notice !== null) notices.push(notice);
      });
    },
    takeNotices() {
      const taken = notices;
      notices = [];
      return taken;
    },
  };
}

function createDailySweep(deps: UpkeepDeps, agent: AgentRecord): () => void {
  let next = 0;
  // Passages do not count here, because `evictPassages` applies their limit after every turn.
  const isLimited = retainedKinds.some((kind) => kind !== "passages" && agent.settings.retention[kind] !== undefined);
  return () => {
    const now = deps.clock.now().getTime();
    if (!isLimited || now < next) return;
    next = now + dayMs;
    deps.background.run(`Retention of "${agent.name}"`, () => sweepUnlessDone(deps, agent, new Date(now - dayMs)));
  };
}
