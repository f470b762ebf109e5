// Opens an agent in an ephemeral conversation, which exists until the agent or the runtime is closed. Memory is read
// from the user's store; the conversation and edits of core memory are kept in this process.
// Invariant: nothing is written to the user's store; working memory and archive belong to this conversation alone and end with
// it.
import type { Agent } from "../../../agent/agent.ts";
import { RequestError, ModuleReadOnlyError } from "../../../base/errors.ts";
import type { AgentRecord, ModuleChange, ModuleRecord } from "../../../store/port/records.ts";
import type { OpeningRecord } from "../../../store/port/opening-store.ts";
import type { UserStore } from "../../../store/port/store.ts";
import type { OpenAgentOptions } from "../../agents/contract.ts";
import { requireModel, withModel } from "./agent-models.ts";
import { createAgentRecord } from "../../agents/create-agent-record.ts";
import { newAgentOptions, openFoundAgent } from "./open-agent.ts";
import { readOpening, withAgent } from "./read-opening.ts";
import { createAdvice, missingAgent, requireNewName } from "../../agents/find-agent.ts";
import { createAgentMemories } from "../agent-memories.ts";
import { messageTools } from "../../../config/settings.ts";
import { forgetToolName } from "../../../base/message/forget-content.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { openOf } from "../../../memory/attached/open-files.ts";
import type { OpenFile } from "../../../store/port/attached-file-store.ts";
import type { Trust } from "../../../base/message/message.ts";

/** Opens the agent. Throws the same errors as `openAgent`, and RequestError `input_invalid` for an existing conversation. */
export async function openEphemeral(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<Agent> {
  if (options.conversation !== undefined && options.conversation !== "new") {
    throw new RequestError(
      "input_invalid",
      "Expected no `conversation`, because an ephemeral conversation is always new: omit it. Nothing was written.",
    );
  }
  const { found, memory, scratch } = await findOrCreate(deps, name, options);
  const { agent } = found;
  const conversation = await scratch.conversations.create({ id: deps.ids.next(), agentId: agent.id });
  const store = createEphemeralStore({ memory, conversation: scratch, agent });
  const memories = createAgentMemories({ ...deps, store });
  const close = deps.background.atClose(async () => {
    await memories.close();
    await scratch.conversations.delete(conversation.id);
    if (memory === scratch) await scratch.agents.delete(agent.id);
  });
  const files = { ...deps.files, objects: scratch.objects };
  // An ephemeral conversation needs no vectors, synopsis or retention, so it has no upkeep.
  const own = { upkeep: [], withoutTools: [forgetToolName, "write_skill", ...messageTools], close };
  return openFoundAgent({ ...deps, store, memories, files }, { ...found, conversation }, { options, ...own });
}

interface FoundOrCreated {
  readonly found: OpeningRecord;
  /** The user's store, or the in-memory store for an agent that was created for this conversation only. */
  readonly memory: UserStore;
  readonly scratch: UserStore;
}

async function findOrCreate(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<FoundOrCreated> {
  const opening = await readOpening(deps, name, "new");
  if (opening !== null) {
    const found = await withAgent(deps, opening, withModel(deps, opening.agent, options));
    const scratch = await deps.openEphemeralStore();
    await copyAgent(scratch, found.agent);
    return { found, memory: deps.store, scratch };
  }
  if (options.create === undefined) throw await missingAgent(deps, name, createAdvice);
  await requireNewName(deps, name);
  const create = { ...newAgentOptions(options), name };
  requireModel(deps, create);
  const scratch = await deps.openEphemeralStore();
  const agents: UserStore["agents"] = { ...scratch.agents, create: (agent) => scratch.agents.create(unnamed(agent)) };
  const { id } = await createAgentRecord({ ...deps, store: { ...deps.store, agents } }, create);
  const created = (await readOpening({ store: scratch }, id, "new"))!;
  return { found: { ...created, agent: { ...created.agent, name } }, memory: scratch, scratch };
}

/** Copies the agent's row to the in-memory store, because rows of the conversation refer to it. */
async function copyAgent(scratch: UserStore, agent: AgentRecord): Promise<void> {
  if ((await scratch.agents.find(agent.id)) !== null) return;
  await scratch.agents.create({ ...unnamed(agent), modules: [] }).catch((error: unknown) => {
    // Another conversation with the agent was opened at the same time and has copied the row.
    if (!(error instanceof RequestError && error.code === "agent_exists")) throw error;
  });
}

/** Returns the agent with its id as its name, because ephemeral conversations may create several agents with one name. */
function unnamed<Named extends Pick<AgentRecord, "id" | "name">>(agent: Named): Named {
  return { ...agent, name: agent.id };
}

interface EphemeralParts {
  /** The store that contains the agent and its memory. */
  readonly memory: UserStore;
  /** The store of the conversation. It contains the agent's row, too. */
  readonly conversation: UserStore;
  readonly agent: Pick<AgentRecord, "id" | "ownerId">;
}

function createEphemeralStore({ memory, conversation, agent }: EphemeralParts): UserStore {
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
        // The synopsis is stored without its passages, because these are in the user's store, not in the conversation's.
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

/** Returns the agent's modules as changed by the edits of the conversation, which are kept in the process. */
function createHeldModules(store: UserStore, agent: EphemeralParts["agent"]) {
  /** The edited texts by the module's id, and the ids of the modules as last listed, by label. */
  const held = new Map<string, Pick<ModuleRecord, "value" | "revision" | "trust" | "lineTrust">>();
  let ids: ReadonlyMap<string, string> = new Map();
  const modules: UserStore["modules"] = {
    ...store.modules,
    async list(agentId) {
      const stored = await store.modules.list(agentId);
      if (agentId !== agent.id) return stored;
      ids = new Map(stored.map(({ label, id }) => [label, id]));
      return stored.map((module) => ({ ...module, ...held.get(module.id) }));
    },
    change: async () => {
      throw new RequestError(
        "undo_refused",
        "This conversation is ephemeral: its memory edits have no revisions, and earlier edits cannot be undone in it.",
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
        // The cast is sound: the session has listed the modules that it edits.
        held.set(ids.get(label) as string, { value: after, revision: revision + 1, trust: own, lineTrust });
      }
    },
  };
}

/** Returns the store of attached files, changed to open and close files for this conversation only. */
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
