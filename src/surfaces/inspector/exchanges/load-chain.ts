// Loads a whole chain: what its agents have written to each other, as far as the key may read them.
import { ApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/create-client.ts";
import { type AgentMessage, inOrder } from "./message-chain.ts";

/** Maximum messages of one agent in a chain. A chain has at most 32, and the refused ones beside. */
const limit = 500;

interface ChainPlace {
  /** The id or the name of an agent in the chain. */
  readonly agent: string;
  readonly chainId: string;
}

/** Returns the messages of a chain, oldest first: those of the agent, and of all agents that its messages lead to. */
export async function loadChain(
  client: Client,
  { agent, chainId }: ChainPlace,
  signal: AbortSignal,
): Promise<readonly AgentMessage[]> {
  const messages = new Map<string, AgentMessage>();
  // An iteration over a set includes what is added meanwhile.
  const agents = new Set([agent]);
  for (const each of agents) {
    const read = client.call("GET /agents/:agent/messages", {
      params: { agent: each },
      query: { chainId, limit },
      signal,
    });
    const found = each === agent ? await read : await read.catch(noneIfHidden);
    for (const message of found) {
      messages.set(message.id, message);
      agents.add(message.agentId).add(message.toAgentId);
    }
  }
  return inOrder([...messages.values()]);
}

/** Another agent was deleted, or the key is for one agent only. */
function noneIfHidden(error: unknown): readonly AgentMessage[] {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return [];
  throw error;
}
