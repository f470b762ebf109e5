// Applies an agent's retention: when somebody asks for it, and after turns, at most once a day.
// Invariant: what is dropped is recorded in a sweep and told to the log; without limits nothing is looked at.
import type { Upkeep } from "../agent/turn.ts";
import type { AgentRecord, DropCount, RetainedKind, SweepRecord } from "../memory/records.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { inBackground } from "./in-background.ts";
import { findAgent, findReadable } from "./find-agent.ts";
import type { OperationParts } from "./operation-parts.ts";

const dayMs = 86_400_000;
/** Rows in one transaction: few enough that nobody waits long for it. */
const batch = 1000;
const none: DropCount = { rows: 0, through: null };
const nothingDropped = { messages: none, revisions: none, steps: none, passages: none };
const kinds: readonly RetainedKind[] = ["messages", "revisions", "steps", "passages"];

export function createRetentionOperations(parts: OperationParts): Runtime["retention"] {
  return {
    async apply(name) {
      const agent = await findAgent(parts, name);
      const begun = newSweep(parts, agent);
      await parts.store.retention.begin({ ...begun, unlessAfter: null });
      return carryOut(parts, agent, begun);
    },
    list: async (name, limit = 20) => parts.store.retention.list((await findReadable(parts, name)).id, limit),
  };
}

/** What an open agent does after each of its turns. Failures go to the log: the turn itself has ended well. */
export function createUpkeep(parts: OperationParts, agent: AgentRecord): Upkeep {
  const daily = createDailySweep(parts, agent);
  let notices: string[] = [];
  return {
    afterTurn() {
      daily();
      inBackground(parts, `retention of "${agent.name}"`, async () => {
        const told = await evictPassages(parts, agent);
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
export async function evictPassages(parts: OperationParts, agent: AgentRecord): Promise<string | null> {
  const { passages } = agent.settings.retention;
  if (passages === undefined || !(await parts.store.retention.isOver(agent.id, passages))) return null;
  const begun = newSweep(parts, agent);
  await parts.store.retention.begin({ ...begun, unlessAfter: null });
  const dropped = { ...nothingDropped, passages: await dropAll(parts, begun, "passages") };
  if (dropped.passages.rows === 0) return null;
  const { rows } = dropped.passages;
  const gone = rows === 1 ? "the least important passage was" : `the ${rows} least important passages were`;
  const told = `archival memory of "${agent.name}" was over its limit: ${gone} dropped`;
  parts.log(`${told}.`);
  return `${told} (\`palimpsest retention list\`).`;
}

function createDailySweep(parts: OperationParts, agent: AgentRecord): () => void {
  let next = 0;
  // Passages are looked at after every turn.
  const isLimited = kinds.some((kind) => kind !== "passages" && agent.settings.retention[kind] !== undefined);
  return () => {
    const now = parts.clock.now().getTime();
    if (!isLimited || now < next) return;
    next = now + dayMs;
    inBackground(parts, `retention of "${agent.name}"`, () => sweepUnlessDone(parts, agent, new Date(now - dayMs)));
  };
}

type NewSweep = Omit<SweepRecord, "dropped">;

function newSweep({ clock, ids }: OperationParts, agent: AgentRecord): NewSweep {
  return { id: ids.next(), agentId: agent.id, at: clock.now(), limits: agent.settings.retention };
}

async function sweepUnlessDone(parts: OperationParts, agent: AgentRecord, unlessAfter: Date): Promise<void> {
  const begun = newSweep(parts, agent);
  if (await parts.store.retention.begin({ ...begun, unlessAfter })) await carryOut(parts, agent, begun);
}

async function carryOut(parts: OperationParts, agent: AgentRecord, begun: NewSweep): Promise<SweepRecord> {
  const dropped = {
    messages: await dropAll(parts, begun, "messages"),
    revisions: await dropAll(parts, begun, "revisions"),
    steps: await dropAll(parts, begun, "steps"),
    passages: await dropAll(parts, begun, "passages"),
  };
  const done = { ...begun, dropped };
  const told = sweepText(done);
  if (told !== null) parts.log(`retention of "${agent.name}": ${told}.`);
  return done;
}

async function dropAll({ store }: OperationParts, begun: NewSweep, kind: RetainedKind): Promise<DropCount> {
  let all: DropCount = none;
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
