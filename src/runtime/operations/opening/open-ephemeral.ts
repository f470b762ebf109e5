// Opens an agent in an ephemeral conversation, which is in memory until it or the runtime is closed.
// Invariant: nothing is written to the store; working memory and archive belong to this conversation alone and end with it.
import type { Agent } from "../../../agent/agent.ts";
import { RequestError } from "../../../base/errors.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import type { OpeningRecord } from "../../../store/port/opening-store.ts";
import type { UserStore } from "../../../store/port/store.ts";
import type { OpenAgentOptions } from "../../agents.ts";
import { requireModel, withModel } from "./agent-models.ts";
import { createAgentRecord } from "../create-agent-record.ts";
import { createEphemeralStore } from "./ephemeral-store.ts";
import { newAgentOptions, openFoundAgent } from "./open-agent.ts";
import { readOpening, withAgent } from "./read-opening.ts";
import { createAdvice, missingAgent, requireNewName } from "../find-agent.ts";
import { createAgentMemories } from "../agent-memories.ts";
import { forgetToolName } from "../../../base/message/forget-content.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** Throws as `openAgent`, and RequestError `input_invalid` for an existing conversation. */
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
  // An ephemeral conversation needs no vectors, synopsis or retention.
  const own = { upkeep: [], withoutTools: [forgetToolName], close };
  return openFoundAgent({ ...deps, store, memories, files }, { ...found, conversation }, { options, ...own });
}

interface FoundOrCreated {
  readonly found: OpeningRecord;
  /** The store with the agent: the one in memory for an agent that was created for this conversation only. */
  readonly memory: UserStore;
  /** The store in memory. */
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

/** The row to which the conversation's rows refer. */
async function copyAgent(scratch: UserStore, agent: AgentRecord): Promise<void> {
  if ((await scratch.agents.find(agent.id)) !== null) return;
  await scratch.agents.create({ ...unnamed(agent), modules: [] }).catch((error: unknown) => {
    // Another conversation with the agent was opened at the same time.
    if (!(error instanceof RequestError && error.code === "agent_exists")) throw error;
  });
}

/** Agents of the store in memory are found by id: conversations with new agents of one name do not disturb each other. */
function unnamed<Named extends Pick<AgentRecord, "id" | "name">>(agent: Named): Named {
  return { ...agent, name: agent.id };
}
