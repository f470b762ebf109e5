// Opens an agent for a turn: takes the agent that this host has kept open since its last turn, or reads the database.
// Invariant: a kept agent begins a turn only if the statement that commits the input confirms that neither the caller's
// API key nor any row from which the agent was opened has changed. If not, nothing is written, and the database is
// read.
import type { Agent } from "../../../agent/agent.ts";
import { createAgent } from "../../../agent/create-agent.ts";
import { addedTools, type AgentDeps, haveSameTools } from "../../../agent/turn.ts";
import { findOpenCalls } from "../../../agent/approval/open-calls.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import type { OpenForTurnOptions, TurnAgent } from "../../agents/contract.ts";
import { findConversation } from "../../conversations/conversation-operations.ts";
import type { KeptAgent, OperationDeps } from "../operation-deps.ts";
import { depsOfFound, expireEvents, findOrCreate, upkeepOf, withConversation } from "./open-agent.ts";

/**
 * Opens an agent for a turn. Throws RequestError `agent_not_found` or `conversation_not_found`, and the errors of
 * `beforeReading`.
 */
export async function openForTurn(
  deps: OperationDeps,
  conversationId: string,
  { agent: name, keyId, beforeReading, inTurn = (opening) => opening() }: OpenForTurnOptions = {},
): Promise<TurnAgent> {
  const reopen = async (): Promise<AgentDeps> => {
    await beforeReading?.();
    let open: AgentDeps | null = null;
    await inTurn(async () => void (open = await openAgain(deps, conversationId, name)));
    return open!;
  };
  const kept = deps.keptAgents.take(conversationId);
  await deps.tools.connect();
  if (kept === null || !isNamed(kept.open.agent, name) || !hasAdded(deps, kept)) return turnAgent(await reopen());
  const agent = turnAgent({ ...kept.open, kept: { version: kept.version, keyId: keyId ?? null, reopen } });
  return {
    ...agent,
    // An input with idempotency keys may repeat an earlier input. Only a newly opened agent looks up the earlier turn.
    start: async (input, options) =>
      (hasKeys(input, options) ? turnAgent(await reopen()) : agent).start(input, options),
  };
}

function hasAdded({ tools }: Pick<OperationDeps, "tools">, { added }: KeptAgent): boolean {
  return haveSameTools(addedTools(tools.selection), added);
}

function isNamed({ id, name }: AgentRecord, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === id || wanted === name;
}

async function openAgain(deps: OperationDeps, conversationId: string, name: string | undefined): Promise<AgentDeps> {
  const options = { conversation: { id: conversationId } };
  const opening = await findOrCreate(deps, name ?? (await findConversation(deps, conversationId)).agentId, options);
  if (opening.forgettingWaits && (await deps.deferred.complete())) return openAgain(deps, conversationId, name);
  const found = await withConversation(deps, opening, options);
  const upkeep = [...upkeepOf(deps, found.agent)];
  const open = await depsOfFound(deps, found, { options: {}, upkeep });
  const added = addedTools(deps.tools.selection);
  upkeep.push({ afterTurn: () => keepOpen(deps, { open, version: found.version, added }) });
  return open;
}

function turnAgent(open: AgentDeps): TurnAgent {
  const { record, conversationId, send, start } = createAgent(open, null);
  return { record, conversationId, send, start, storesEvents: open.times.keepEventsMs > 0 };
}

function hasKeys(...[input, options]: Parameters<Agent["start"]>): boolean {
  if (typeof input === "string") return options?.idempotencyKey !== undefined;
  return input.messages.some(({ idempotencyKey }) => idempotencyKey !== undefined);
}

/** Estimated bytes of an open agent without messages, of a message without its text, and of one token of text. */
const agentBytes = 100_000;
const messageBytes = 1500;
const tokenBytes = 8;

/** Keeps an agent open for its next turn, unless its last turn is unfinished or a tool call waits. */
function keepOpen(deps: OperationDeps, kept: KeptAgent): void {
  const { conversationId, session } = kept.open;
  const { messages } = session;
  expireEvents(deps);
  if (messages.at(-1)?.role !== "assistant" || findOpenCalls(messages) !== null) return;
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  const bytes = agentBytes + messages.length * messageBytes + tokens * tokenBytes;
  deps.keptAgents.put(conversationId, kept, bytes);
}
