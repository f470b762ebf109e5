// Lists turns, reads their messages, model calls and events, and lists calls that wait for approval.
import { isExpired } from "../../agent/approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import type { TurnRecord } from "../../store/port/turn-record-store.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { readEvents } from "../../agent/read-events.ts";
import { findConversation } from "../conversations/conversation-operations.ts";
import type { ApprovalOperations, TurnEventOptions, TurnOperations } from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import { conversationNotFound, type OperationDeps } from "../operations/operation-deps.ts";

const { json, range } = inputChecks("A turn");
const { range: stepRange } = inputChecks("A step");
const defaultListing = 100;

type TurnDeps = Pick<OperationDeps, "store" | "defaults" | "turnTimes" | "live">;

export function createTurnOperations(deps: TurnDeps): TurnOperations {
  const { turnRecords } = deps.store;
  const stepsOf: TurnOperations["steps"] = (turnId, options = {}) =>
    turnRecords.steps({ order: "oldest", limit: defaultListing, ...options, turnId });
  return {
    list: async ({ agent, conversation, ...options } = {}) => {
      range(options);
      const agentId = agent === undefined ? {} : { agentId: (await findReadable(deps, agent)).id };
      const conversationId = conversation === undefined ? {} : { conversationId: conversation };
      return turnRecords.list({ order: "newest", limit: defaultListing, ...options, ...agentId, ...conversationId });
    },
    find: (id) => findTurn(deps, id),
    findByKey: async (conversationId, key) => {
      const id = await deps.store.events.turnOf(conversationId, key);
      return id === null ? null : turnRecords.find(id);
    },
    annotate: async (id, { isBackground, metadata }) => {
      const change = {
        ...(isBackground === undefined ? {} : { isBackground }),
        ...(metadata === undefined ? {} : { metadata: json("metadata", metadata) }),
      };
      if (!(await turnRecords.update(id, change))) throw turnNotFound(id);
      return findTurn(deps, id);
    },
    messages: async (id) => {
      await findTurn(deps, id);
      return turnRecords.messages(id);
    },
    steps: async (id, options = {}) => {
      stepRange(options);
      await findTurn(deps, id);
      return stepsOf(id, options);
    },
    stepsOfAgent: async (agent, { conversation: conversationId, ...options } = {}) => {
      stepRange(options);
      const ofAgent = agent === null ? {} : { agentId: (await findReadable(deps, agent)).id };
      return turnRecords.steps({ order: "oldest", limit: defaultListing, ...options, ...ofAgent, conversationId });
    },
    findStep: async (id) => {
      const found = await turnRecords.findStep(id);
      if (found === null) throw new RequestError("step_not_found", `There is no step "${id}" of this user.`);
      return found;
    },
    events: (id, options) => eventsOf(deps, id, options),
  };
}

/** Reads events. If the first statement does not find key, agent and conversation, checks each of them and reads again. */
async function* eventsOf(
  { store, turnTimes: times, live }: TurnDeps,
  turnId: string,
  { conversation: conversationId, agent, keyId, beforeReading, ...reading }: TurnEventOptions,
): AsyncGenerator<AgentEvent, void> {
  const deps = { conversationId, store, times, host: { live } };
  try {
    return yield* readEvents({ ...deps, expected: { agent, keyId } }, turnId, reading);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "conversation_not_found") throw error;
  }
  await beforeReading?.();
  const found = await findConversation({ store }, conversationId);
  if (agent !== undefined) {
    const named = await findAgent({ store }, agent);
    if (found.agentId !== named.id) throw conversationNotFound(named, conversationId);
  }
  yield* readEvents(deps, turnId, reading);
}

/** Returns operations that list the calls that wait for a decision, without expired calls. */
export function createApprovalOperations({ store, clock }: Pick<OperationDeps, "store" | "clock">): ApprovalOperations {
  return {
    async list(name) {
      const agent = await findAgent({ store }, name);
      const waiting = await store.approvals.waiting(agent.id);
      const now = clock.now();
      return waiting.filter((approval) => !isExpired(approval, now));
    },
  };
}

async function findTurn({ store }: Pick<OperationDeps, "store">, id: string): Promise<TurnRecord> {
  const found = await store.turnRecords.find(id);
  if (found === null) throw turnNotFound(id);
  return found;
}

function turnNotFound(id: string): RequestError {
  return new RequestError(
    "turn_not_found",
    `There is no turn "${id}" of this user. \`runtime.turns.list()\` lists the turns.`,
  );
}
