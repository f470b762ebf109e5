// Applies an agent's retention: when somebody asks for it, and after turns, at most once a day.
// Invariant: what is dropped is recorded in a sweep and told to the log; without limits nothing is looked at.
import type { Upkeep } from "../agent/turn.ts";
import type { AgentRecord, DroppedRows, RetainedKind, SweepRecord } from "../memory/records.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { inBackground } from "./in-background.ts";
import { findAgent, findReadable } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

const dayMs = 86_400_000;
/** Rows in one transaction: few enough that nobody waits long for it. */
const batch = 1000;
const none: DroppedRows = { rows: 0, through: null };
const nothingDropped = { messages: none, revisions: none, steps: none, passages: none };
const kinds: readonly RetainedKind[] = ["messages", "revisions", "steps", "passages"];

export function createRetentionOperations(deps: OperationDeps): Runtime["retention"] {
  return {
    async apply(name) {
      const agent = await findAgent(deps, name);
      const begun = newSweep(deps, agent);
      await deps.store.retention.begin({ ...begun, unlessAfter: null });
      return carryOut(deps, agent, begun);
    },
    list: async (name, limit = 20) => deps.store.retention.list((await findReadable(deps, name)).id, limit),
  };
}

/**
 * Applies the agent's limits after each of its turns; null for an agent without any. Failures go to the log: the turn itself
 * has ended well.
 */
export function retentionUpkeep(deps: OperationDeps, agent: AgentRecord): Upkeep | null {
  if (kinds.every((kind) => agent.settings.retention[kind] === undefined)) return null;
  const daily = createDailySweep(deps, agent);
  let notices: string[] = [];
  return {
    afterTurn() {
      daily();
      inBackground(deps, `retention of "${agent.name}"`, async () => {
        const told = await evictPassages(deps, agent);
        if (told !== null) notices.push(told);
      });
    },
    takeNotices() {
      const taken = notices;
      notices = [];
      return taken;
    },
  };
}

/** Brings the agent's own archive down to its limits. Returns what to tell of it; null when nothing had to go. */
export async function evictPassages(deps: OperationDeps, agent: AgentRecord): Promise<string | null> {
  const { passages } = agent.settings.retention;
  if (passages === undefined || !(await deps.store.retention.isOver(agent.id, passages))) return null;
  const begun = newSweep(deps, agent);
  await deps.store.retention.begin({ ...begun, unlessAfter: null });
  const dropped = { ...nothingDropped, passages: await dropAll(deps, begun, "passages") };
  if (dropped.passages.rows === 0) return null;
  const { rows } = dropped.passages;
  const gone = rows === 1 ? "the least important passage was" : `the ${rows} least important passages were`;
  const told = `archival memory of "${agent.name}" was over its limit: ${gone} dropped`;
  deps.log(`${told}.`);
  return `${told} (\`palimpsest retention list\`).`;
}

function createDailySweep(deps: OperationDeps, agent: AgentRecord): () => void {
  let next = 0;
  // Passages are looked at after every turn.
  const isLimited = kinds.some((kind) => kind !== "passages" && agent.settings.retention[kind] !== undefined);
  return () => {
    const now = deps.clock.now().getTime();
    if (!isLimited || now < next) return;
    next = now + dayMs;
    inBackground(deps, `retention of "${agent.name}"`, () => sweepUnlessDone(deps, agent, new Date(now - dayMs)));
  };
}

type NewSweep = Omit<SweepRecord, "dropped">;

function newSweep({ clock, ids }: OperationDeps, agent: AgentRecord): NewSweep {
  return { id: ids.next(), agentId: agent.id, at: clock.now(), limits: agent.settings.retention };
}

async function sweepUnlessDone(deps: OperationDeps, agent: AgentRecord, unlessAfter: Date): Promise<void> {
  const begun = newSweep(deps, agent);
  if (await deps.store.retention.begin({ ...begun, unlessAfter })) await carryOut(deps, agent, begun);
}

async function carryOut(deps: OperationDeps, agent: AgentRecord, begun: NewSweep): Promise<SweepRecord> {
  const dropped = {
    messages: await dropAll(deps, begun, "messages"),
    revisions: await dropAll(deps, begun, "revisions"),
    steps: await dropAll(deps, begun, "steps"),
    passages: await dropAll(deps, begun, "passages"),
  };
  const done = { ...begun, dropped };
  const told = sweepText(done);
  if (told !== null) deps.log(`retention of "${agent.name}": ${told}.`);
  return done;
}

async function dropAll({ store }: OperationDeps, begun: NewSweep, kind: RetainedKind): Promise<DroppedRows> {
  let all: DroppedRows = none;
  for (;;) {
    const { rows, through } = await store.retention.drop({ ...begun, kind, batch });
    all = { rows: all.rows + rows, through: later(all.through, through) };
    if (rows < batch) return all;
  }
}

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? other : one;
}

function sweepText({ dropped }: SweepRecord): string | null {
  const parts = kinds.flatMap((kind) => {
    const { rows, through } = dropped[kind];
    if (rows === 0) return [];
    return kind === "passages" ? [`${rows} passages`] : [`${rows} ${kind} up to ${through?.toISOString() ?? "now"}`];
  });
  return parts.length === 0 ? null : `dropped ${parts.join(", ")}`;
}
