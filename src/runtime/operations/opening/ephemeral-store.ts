// The store of an ephemeral conversation: it reads the agent's memory from the store and keeps the conversation in another one,
// in memory. Edits of core memory are kept in the process.
// Invariant: nothing is written to the store that is read.
import { ModuleReadOnlyError, RequestError } from "../../../base/errors.ts";
import { openOf } from "../../../memory/attached/open-files.ts";
import type { OpenFile } from "../../../store/port/attached-file-store.ts";
import type { AgentRecord, ModuleChange, ModuleRecord } from "../../../store/port/records.ts";
import type { UserStore } from "../../../store/port/store.ts";
import type { Trust } from "../../../base/message/message.ts";

type Held = Pick<ModuleRecord, "value" | "revision" | "trust" | "lineTrust">;

export interface EphemeralParts {
  /** The store with the agent and its memory. */
  readonly memory: UserStore;
  /** The store of the conversation, which has an agent of the same id. */
  readonly conversation: UserStore;
  readonly agent: Pick<AgentRecord, "id" | "ownerId">;
}

export function createEphemeralStore({ memory, conversation, agent }: EphemeralParts): UserStore {
  const core = createHeldModules(memory, agent);
  const { conversations, leases, events, inputs, compactions, steps, attachments, objects, turnRecords } = conversation;
  return {
    ...memory,
    leases,
    events,
    inputs,
    compactions,
    steps,
    attachments,
    objects,
    turnRecords,
    conversations: {
      ...conversations,
      async saveSnapshot(lease, snapshot) {
        const { synopsis, ...others } = snapshot;
        // The passages of the synopsis are in the other store.
        const kept = synopsis === undefined ? others : { ...others, synopsis: { ...synopsis, passages: [] } };
        await conversations.saveSnapshot(lease, kept);
        return snapshot;
      },
    },
    synopses: { ...memory.synopses, isShown: conversation.synopses.isShown },
    approvals: { ...conversation.approvals, lastDefinition: memory.approvals.lastDefinition },
    modules: core.modules,
    turns: {
      ...conversation.turns,
      async begin(beginning) {
        const begun = await conversation.turns.begin(beginning);
        if (begun === null) return null;
        const modules = await core.modules.list(agent.id);
        return { ...begun, modules, searchable: await memory.openings.searchable(agent.id, beginning.conversationId) };
      },
      async commitToolResult(result) {
        core.check(result.changes);
        await conversation.turns.commitToolResult({ ...result, changes: [], passages: [] });
        core.hold(result.changes, result.trust);
      },
      async commitMemory({ changes, trust }) {
        core.check(changes);
        core.hold(changes, trust);
      },
    },
    passages: { ...memory.passages, countAccesses: async () => undefined },
    attachedFiles: withOwnOpenFiles(memory.attachedFiles),
  };
}

/** The agent's modules with the edits of the conversation. */
function createHeldModules(store: UserStore, agent: EphemeralParts["agent"]) {
  const held = new Map<string, Held>();
  const modules: UserStore["modules"] = {
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
  };
  return {
    modules,
    check(changes: readonly ModuleChange[]): void {
      const refused = changes.find(({ scope }) => scope === "agent" && agent.ownerId !== store.userId);
      if (refused !== undefined) throw new ModuleReadOnlyError(refused.label);
    },
    hold(changes: readonly ModuleChange[], trust: Trust): void {
      for (const { label, after, revision, trust: own = trust, lineTrust = null } of changes) {
        held.set(label, { value: after, revision: revision + 1, trust: own, lineTrust });
      }
    },
  };
}

/** The files that the conversation opens are open in it alone. */
function withOwnOpenFiles(files: UserStore["attachedFiles"]): UserStore["attachedFiles"] {
  let open: readonly OpenFile[] | null = null;
  return {
    ...files,
    async list(agentId) {
      const listed = await files.list(agentId);
      if (open === null) return listed;
      const ranges = new Map(open.map(({ fileId, ...range }) => [fileId, range]));
      return listed.map((file) => ({ ...file, open: ranges.get(file.id) ?? null }));
    },
    async changeOpen(agentId, change) {
      open ??= openOf(await files.list(agentId)).map((file) => ({ ...file.open, fileId: file.id }));
      return (open = change(open));
    },
  };
}
