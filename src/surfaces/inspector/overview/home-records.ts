// Loads the records that the first page shows.
// Invariant: if the key may not read some records, or those of an agent cannot be read, the rest of the page is shown.
import type { CallResult } from "../../client/api-types.ts";
import type { Client } from "../../client/create-client.ts";
import { isKeyRefusal } from "../session/error-text.ts";
import { type AgentRecords, recordLimits, type ShownAgent } from "./agent-summary.ts";

export interface AgentHome {
  readonly agent: ShownAgent;
  /** The records; null if they could not be read. */
  readonly records: AgentRecords | null;
  readonly error: unknown;
}

export interface HomeRecords {
  readonly agents: readonly AgentHome[];
  /** Whether the user has more agents than `agents` contains. */
  readonly hasMore: boolean;
  readonly agentOffers: CallResult<"GET /agent-offers">;
  readonly moduleOffers: CallResult<"GET /module-offers">;
}

/** Loads what waits for the user, and at most `limit` agents: those with a waiting turn, then those used most recently. */
export async function loadHome(client: Client, limit: number, signal: AbortSignal): Promise<HomeRecords> {
  const [found, turns, waiting, agentOffers, moduleOffers] = await Promise.all([
    client.call("GET /agents", { query: { limit: 1000, order: "newest" }, signal }),
    ifAllowed(client.call("GET /turns", { query: { limit: 200 }, signal }), []),
    ifAllowed(client.call("GET /turns", { query: { states: ["waiting"], limit: 200 }, signal }), null),
    ifAllowed(client.call("GET /agent-offers", { signal }), []),
    ifAllowed(client.call("GET /module-offers", { signal }), []),
  ]);
  const lastTurns = [...(waiting ?? []), ...turns].map(({ agentId }) => agentId);
  const place = ({ id }: ShownAgent): number => (lastTurns.includes(id) ? lastTurns.indexOf(id) : lastTurns.length);
  const shown = found.toSorted((one, other) => place(one) - place(other)).slice(0, limit);
  const agents = await Promise.all(
    shown.map(async (agent): Promise<AgentHome> => {
      const mayWait = waiting === null || waiting.some(({ agentId }) => agentId === agent.id);
      try {
        return { agent, records: await loadAgent(client, agent.id, mayWait, signal), error: undefined };
      } catch (error) {
        return { agent, records: null, error };
      }
    }),
  );
  return { agents, hasMore: found.length > limit, agentOffers, moduleOffers };
}

async function loadAgent(client: Client, agent: string, mayWait: boolean, signal: AbortSignal): Promise<AgentRecords> {
  const sent = { params: { agent }, signal };
  const [conversations, revisions, passages, steps, approvals, consolidations, schedules] = await Promise.all([
    client.call("GET /agents/:agent/conversations", { ...sent, query: { limit: recordLimits.conversations } }),
    client.call("GET /agents/:agent/revisions", { ...sent, query: { limit: recordLimits.revisions } }),
    client.call("GET /agents/:agent/archive", { ...sent, query: { limit: recordLimits.passages } }),
    client.call("GET /agents/:agent/steps", { ...sent, query: { limit: recordLimits.steps, order: "newest" } }),
    mayWait ? client.call("GET /agents/:agent/approvals", sent) : [],
    client.call("GET /agents/:agent/consolidations", { ...sent, query: { limit: recordLimits.consolidations } }),
    client.call("GET /agents/:agent/schedules", sent),
  ]);
  const runs = await Promise.all(
    schedules.map(async ({ id, text }) => {
      const query = { limit: 1 };
      const [last] = await client.call("GET /schedules/:schedule/runs", { params: { schedule: id }, query, signal });
      return last === undefined ? [] : [{ ...last, text }];
    }),
  );
  return { conversations, revisions, passages, steps, approvals, consolidations, lastRuns: runs.flat() };
}

/** Resolves to `fallback` if the key does not allow the request. */
async function ifAllowed<Value, Fallback>(request: Promise<Value>, fallback: Fallback): Promise<Value | Fallback> {
  try {
    return await request;
  } catch (error) {
    if (isKeyRefusal(error)) return fallback;
    throw error;
  }
}
