// A user's store that keeps an agent's memory edits in the process instead of the database.
// Invariant: core memory and the archive are never written; everything else belongs to the conversation and is deleted
// with it.
import { ModuleReadOnlyError, RequestError } from "../../errors.ts";
import type { AgentRecord, ModuleChange, ModuleRecord } from "../../memory/records.ts";
import type { UserStore } from "../../memory/store.ts";
import type { Trust } from "../../message/message.ts";

type Held = Pick<ModuleRecord, "value" | "revision" | "trust">;

/** Wraps the store for an ephemeral conversation with this agent. */
export function createEphemeralStore(store: UserStore, agent: Pick<AgentRecord, "id" | "ownerId">): UserStore {
  const held = new Map<string, Held>();
  const hold = (changes: readonly ModuleChange[], trust: Trust): void => {
    const refused = changes.find(({ scope }) => scope === "agent" && agent.ownerId !== store.userId);
    if (refused !== undefined) throw new ModuleReadOnlyError(refused.label);
    for (const change of changes) {
      held.set(change.label, {
        value: change.after,
        revision: change.revision + 1,
        trust: change.trust ?? trust,
      });
    }
  };
  return {
    ...store,
    modules: {
      ...store.modules,
      async list(agentId) {
        const stored = await store.modules.list(agentId);
        return agentId === agent.id ? stored.map((module) => ({ ...module, ...held.get(module.label) })) : stored;
      },
      change: async () => {
        throw new RequestError(
          "undo_refused",
          "This conversation is ephemeral: its memory edits have no revisions, and it cannot undo earlier ones.",
        );
      },
    },
    turns: {
      ...store.turns,
      async begin(beginning) {
        const begun = await store.turns.begin(beginning);
        if (begun === null) return null;
        const modules = begun.modules.map((module) => ({
          ...module,
          revision: held.get(module.label)?.revision ?? module.revision,
        }));
        return { ...begun, modules };
      },
      async commitToolResult(result) {
        await store.turns.commitToolResult({ ...result, changes: [], passages: [] });
        hold(result.changes, result.trust);
      },
      commitMemory: async ({ changes, trust }) => hold(changes, trust),
    },
    passages: { ...store.passages, countAccesses: async () => undefined },
  };
}
