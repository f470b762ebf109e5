// Opens an agent in an ephemeral conversation, and deletes what was written when the runtime closes.
// Invariant: working memory, archive and upkeep belong to this conversation alone and end with it.
import type { Agent } from "../../agent/agent.ts";
import { takeCodePoints } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";
import type { AgentRecord } from "../../memory/records.ts";
import type { OpenAgentOptions } from "../../runtime/agents.ts";
import { requireModel, withModel } from "./agent-models.ts";
import { createAgentRecord } from "../create-agent-record.ts";
import { deleteObjects } from "../delete-objects.ts";
import { createEphemeralStore } from "./ephemeral-store.ts";
import { newAgentOptions, openFoundAgent } from "./open-agent.ts";
import { readOpening, withAgent } from "./read-opening.ts";
import { findAgent, findUnlessNew, missingAgent } from "../find-agent.ts";
import { createAgentMemories } from "../agent-memories.ts";
import { forgetToolName } from "../forgetting/forget-tool.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** Throws as `openAgent`, and RequestError `input_invalid` for an existing conversation. */
export async function openEphemeral(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<Agent> {
  if (options.conversation !== undefined && options.conversation !== "new") {
    throw new RequestError(
      "input_invalid",
      "Expected no `conversation`, because an ephemeral conversation is always new: omit it. Nothing was written.",
    );
  }
  const { agent, isCreated } = await findOrCreate(deps, name, options);
  const store = createEphemeralStore(deps.store, agent);
  const memories = createAgentMemories({ ...deps, store });
  let conversationId: string | null = null;
  deps.background.atClose(async () => {
    await memories.close();
    if (isCreated) await deps.store.agents.delete(agent.id);
    else if (conversationId !== null) await deps.store.conversations.delete(conversationId);
    await deleteObjects(deps);
  });
  const conversation = await deps.store.conversations.create({ id: deps.ids.next(), agentId: agent.id });
  conversationId = conversation.id;
  const opening = await readOpening(deps, agent.id, { id: conversation.id });
  if (opening === null) throw await missingAgent(deps, name);
  // An ephemeral conversation needs no vectors, synopsis or retention.
  const found = { ...(await withAgent(deps, opening, agent)), conversation };
  return openFoundAgent({ ...deps, store, memories }, found, { options, upkeep: [], withoutTools: [forgetToolName] });
}

interface FoundOrCreated {
  readonly agent: AgentRecord;
  /** Whether the agent was created for this conversation only. */
  readonly isCreated: boolean;
}

async function findOrCreate(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<FoundOrCreated> {
  const { create } = options;
  const agent = create === undefined ? await findAgent(deps, name) : await findUnlessNew(deps, name);
  if (agent === null) {
    const created = { ...newAgentOptions(options), name: ephemeralName(deps, name) };
    requireModel(deps, created);
    return { agent: await createAgentRecord(deps, created), isCreated: true };
  }
  return { agent: withModel(deps, agent, options), isCreated: false };
}

/** Returns an unused name within the length limit that is recognizable in a list. */
function ephemeralName({ ids }: OperationDeps, name: string): string {
  return `${takeCodePoints(name, 40)} (ephemeral ${ids.next()})`;
}
