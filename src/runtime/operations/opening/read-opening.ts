// Reads the rows from which an agent is opened, and adds modules of the agent's memory class that the store lacks.
// Invariant: if no module is missing, this costs one round trip and writes nothing.
import type { BaseMemory } from "../../../memory/core/base-memory.ts";
import type { OpeningRecord, OpeningRequest } from "../../../store/port/opening-store.ts";
import type { AgentRecord, ModuleRecord } from "../../../store/port/records.ts";
import { calibrationSamples } from "../../../model/tokens/token-scale.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** Returns the rows from which an agent is opened; null if there is no such agent, or if the user may not use it. */
export async function readOpening(
  { store }: Pick<OperationDeps, "store">,
  agent: string,
  conversation: OpeningRequest["conversation"],
): Promise<OpeningRecord | null> {
  return store.openings.read({ agent, conversation, maxSamples: calibrationSamples });
}

/** Returns the rows of an opening for a changed agent. If its model has changed, reads the usage samples of the new model. */
export async function withAgent(
  { store }: Pick<OperationDeps, "store">,
  opening: OpeningRecord,
  agent: AgentRecord,
): Promise<OpeningRecord> {
  const isSame = agent.model === opening.agent.model;
  const samples = isSame ? opening.samples : await store.steps.usageSamples(agent.model, calibrationSamples);
  return { ...opening, agent, samples };
}

/** Stores missing modules of the agent's memory class, if this user may add them. Returns all modules of the agent. */
export async function completeModules(
  { store }: Pick<OperationDeps, "store">,
  found: Pick<OpeningRecord, "agent" | "modules">,
  fresh: BaseMemory,
): Promise<readonly ModuleRecord[]> {
  const { agent, modules } = found;
  const missing = missingModules(store, found, fresh);
  if (missing.length === 0) return modules;
  await store.modules.addMissing(agent.id, missing);
  return store.modules.list(agent.id);
}

/** Returns the same modules as `completeModules`, but stores nothing. */
export function completedModules(
  { store, ids }: Pick<OperationDeps, "store" | "ids">,
  found: Pick<OpeningRecord, "agent" | "modules">,
  fresh: BaseMemory,
): readonly ModuleRecord[] {
  const facts = { ownerId: store.userId, revision: 0, version: 0, trust: "user", lineTrust: null } as const;
  const added = missingModules(store, found, fresh).map((module) => ({ ...module, ...facts, id: ids.next() }));
  return [...found.modules, ...added];
}

function missingModules(
  { userId }: OperationDeps["store"],
  { agent, modules }: Pick<OpeningRecord, "agent" | "modules">,
  fresh: BaseMemory,
) {
  return fresh.toJSON().modules.filter(({ label, scope }) => {
    const isAddable = scope === "user" || agent.ownerId === userId;
    return isAddable && !modules.some((module) => module.label === label);
  });
}
