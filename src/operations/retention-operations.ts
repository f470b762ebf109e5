// Applies an agent's retention: when somebody asks for it, and after turns, at most once a day.
// Invariant: what is dropped is recorded in a sweep and told to the log; without limits nothing is looked at.
import { messageOf } from "../base/error-message.ts";
import type { AgentRecord, DropCount, RetainedKind, SweepRecord } from "../memory/records.ts";
import type { Runtime } from "../runtime.ts";
import { findAgent, type OperationParts } from "./operation-parts.ts";

const dayMs = 86_400_000;
/** Rows in one transaction: few enough that nobody waits long for it. */
const batch = 1000;
const kinds: readonly RetainedKind[] = ["messages", "revisions", "steps"];

export function createRetentionOperations(parts: OperationParts): Runtime["retention"] {
  return {
    async apply(name) {
      const agent = await findAgent(parts, name);
      const begun = newSweep(parts, agent);
      await parts.store.retention.begin({ ...begun, unlessAfter: null });
      return carryOut(parts, agent, begun);
    },
    list: async (name, limit = 20) => parts.store.retention.list((await findAgent(parts, name)).id, limit),
  };
}

/** What an open agent calls after each of its turns. Failures go to the log: the turn itself has ended well. */
export function createDailySweep(parts: OperationParts, agent: AgentRecord): () => void {
  let next = 0;
  const isLimited = kinds.some((kind) => agent.settings.retention[kind] !== undefined);
  return () => {
    const now = parts.clock.now().getTime();
    if (!isLimited || now < next) return;
    next = now + dayMs;
    const sweeping = sweepUnlessDone(parts, agent, new Date(now - dayMs))
      .catch((error: unknown) => {
        parts.log(`retention of "${agent.name}" failed: ${messageOf(error)}`);
      })
      .then(() => {
        parts.background.delete(sweeping);
      });
    parts.background.add(sweeping);
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
  };
  const done = { ...begun, dropped };
  const told = sweepText(done);
  if (told !== null) parts.log(`retention of "${agent.name}": ${told}.`);
  return done;
}

async function dropAll({ store }: OperationParts, begun: NewSweep, kind: RetainedKind): Promise<DropCount> {
  let all: DropCount = { rows: 0, through: null };
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
    return rows === 0 ? [] : [`${rows} ${kind} up to ${through?.toISOString() ?? "now"}`];
  });
  return parts.length === 0 ? null : `dropped ${parts.join(", ")}`;
}
