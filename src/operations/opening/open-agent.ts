// Opens an agent in a conversation: finds or makes both, and puts together what its turns work with.
// Invariant: an agent that is opened has every module its memory class defines, and a conversation of its own user.
import type { Agent } from "../../agent/agent.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { protocolOf } from "../../agent/protocol/protocol-of.ts";
import type { ProtocolRules } from "../../agent/protocol/protocol.ts";
import { openSession, type Session } from "../../agent/session/session.ts";
import { createPressureGauge, type Upkeep } from "../../agent/turn.ts";
import { RequestError } from "../../errors.ts";
import { type Attachments, createAttachments } from "../../memory/attachments/attachments.ts";
import type { AgentRecord, ConversationRecord } from "../../memory/records.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import type { CreateAgentOptions, OpenAgentOptions } from "../../runtime/agents.ts";
import type { Tool } from "../../tool/tool.ts";
import { counterOf, modelsOf, requireModel, withModel } from "./agent-models.ts";
import { bringsInBy, freshMemory, toolsOf } from "./agent-tools.ts";
import { calibrationOf } from "./calibration-of.ts";
import { createAgentRecord } from "../create-agent-record.ts";
import { createTurnLookup } from "./create-turn-lookup.ts";
import { refillWorking } from "./working-memories.ts";
import { createUpkeep } from "../retention-operations.ts";
import { refreshAfterTurn } from "../synopsis-operations.ts";
import { findAgent, findUnlessNew } from "../find-agent.ts";
import { archiveOf, meaningParts, type OperationParts, requireConversation } from "../operation-parts.ts";

/** Throws RequestError for an unknown agent or conversation, DefinitionError for a memory class that is not registered. */
export async function openAgent(parts: OperationParts, name: string, options: OpenAgentOptions): Promise<Agent> {
  const agent = await findOrCreate(parts, name, options);
  const found = await findConversation(parts, agent, options);
  return openFoundAgent(parts, agent, { options, found, upkeep: upkeepOf(parts, agent) });
}

export interface FoundAgentOptions {
  readonly options: Pick<OpenAgentOptions, "tools" | "withoutCalls">;
  readonly found: FoundConversation;
  readonly upkeep: Upkeep;
}

/** Opens an agent in a conversation of its own that exists. */
export async function openFoundAgent(
  parts: OperationParts,
  agent: AgentRecord,
  { options, found, upkeep }: FoundAgentOptions,
): Promise<Agent> {
  const { conversation, isNew } = found;
  const counter = preparedCounter(parts, agent);
  const models = modelsOf(parts, agent, options);
  const protocol = protocolOf(agent.protocol);
  const toolsFor = toolsOf(parts, agent, options.tools ?? parts.tools.selection);
  const fresh = freshMemory(parts, agent);
  await parts.store.modules.addMissing(agent.id, fresh.toJSON().modules);
  const { store, registry, ids, clock } = parts;
  const bringsIn = bringsInBy(toolsFor(fresh));
  const lookup = createTurnLookup(parts, agent, bringsIn);
  const session = await openSession({
    agent,
    conversationId: conversation.id,
    store,
    registry,
    protocol,
    counter,
    ids,
    clock,
    timeZone: agent.settings.timeZone,
    leaseMs: parts.leases.leaseMs,
    onLeftBehind: (messageIds) => lookup.forget(messageIds),
  });
  tellUnknownApprovals(parts, agent, toolsFor(session.memory));
  if (isNew) await boot(parts, { session, protocol, agent });
  const archival = archiveOf(parts, agent);
  archival.embedPending();
  parts.backFill.wake();
  await refillWorking(parts, agent, { conversationId: conversation.id, bringsIn });
  return createAgent({
    agent,
    conversationId: conversation.id,
    store,
    session,
    protocol,
    ...models,
    summarizerPrice: parts.priceFor(agent.settings.summarizer ?? agent.model),
    price: parts.priceFor(agent.model),
    archival,
    attachments: attachmentsOf(parts, counter),
    toolsFor,
    render: (message) => protocol.render(message, agent.settings.timeZone),
    countTokens: cachedCount((text) => counter.count(text)),
    pressure: createPressureGauge(),
    calibration: await calibrationOf(parts, agent.model),
    ...parts.leases,
    meaning: meaningParts(parts, agent.id),
    upkeep,
    lookup,
    ids,
    clock,
  });
}

/** Loads the tokenizer now, while no transaction is under way for this agent: that blocks the event loop. */
function preparedCounter(parts: OperationParts, agent: AgentRecord): TokenCounter {
  const counter = counterOf(parts, agent);
  counter.prepare();
  return counter;
}

function attachmentsOf({ store, files, ids }: OperationParts, { count }: TokenCounter): Attachments {
  const { objects, read } = files;
  return createAttachments({
    store: store.attachments,
    objects,
    database: store.objects,
    read,
    countTokens: count,
    ids,
  });
}

function upkeepOf(parts: OperationParts, agent: AgentRecord): Upkeep {
  const upkeep = createUpkeep(parts, agent);
  return {
    ...upkeep,
    afterTurn() {
      parts.backFill.wake(agent.id);
      upkeep.afterTurn();
      refreshAfterTurn(parts, agent);
    },
  };
}

async function findOrCreate(parts: OperationParts, name: string, options: OpenAgentOptions): Promise<AgentRecord> {
  const { create } = options;
  const agent = create === undefined ? await findAgent(parts, name) : await findUnlessNew(parts, name);
  if (agent === null) {
    return createOrFind(parts, { name, ...newAgent(options) });
  }
  const changed = withModel(parts, agent, options);
  if (changed === agent) return agent;
  const { model, settings } = changed;
  await parts.store.agents.update(agent.id, { model, settings });
  return changed;
}

/** What an agent is made with when it is opened. */
export function newAgent({
  create = {},
  model = create.model,
  baseUrl,
}: OpenAgentOptions): Omit<CreateAgentOptions, "name"> {
  const settings = baseUrl === undefined ? create.settings : { ...create.settings, baseUrl };
  return { ...create, ...(model === undefined ? {} : { model }), ...(settings === undefined ? {} : { settings }) };
}

/** Another process may make the agent of that name between our look and our insert. */
async function createOrFind(parts: OperationParts, options: CreateAgentOptions): Promise<AgentRecord> {
  // It is opened to answer: better no agent than one that cannot.
  requireModel(parts, options);
  try {
    return await createAgentRecord(parts, options);
  } catch (error) {
    const isTaken = error instanceof RequestError && error.code === "agent_exists";
    const made = isTaken ? await parts.store.agents.find(options.name) : null;
    if (made === null) throw error;
    return made;
  }
}

interface FoundConversation {
  readonly conversation: ConversationRecord;
  readonly isNew: boolean;
}

async function findConversation(
  { store, ids }: OperationParts,
  agent: AgentRecord,
  { conversation = "last" }: OpenAgentOptions,
): Promise<FoundConversation> {
  const create = async () => ({
    conversation: await store.conversations.create({ id: ids.next(), agentId: agent.id }),
    isNew: true,
  });
  if (conversation === "new") return create();
  if (conversation === "last") {
    const [last] = await store.conversations.list(agent.id, 1);
    return last === undefined ? create() : { conversation: last, isNew: last.leafId === null };
  }
  const found = await requireConversation(store, agent, conversation.id);
  return { conversation: found, isNew: found.leafId === null };
}

// Not refused: a program may give the agent that tool only now and then.
function tellUnknownApprovals({ log }: OperationParts, agent: AgentRecord, tools: readonly Tool[]): void {
  const unknown = agent.settings.approvals.filter((name) => !tools.some((tool) => tool.name === name));
  if (unknown.length === 0) return;
  const names = tools.map(({ name }) => name).join(", ");
  log(`"${agent.name}" is to ask before it calls ${unknown.join(", ")}, but has no such tool. Its tools: ${names}.`);
}

interface Booted {
  readonly session: Session;
  readonly protocol: ProtocolRules;
  readonly agent: AgentRecord;
}

async function boot({ ids, clock }: OperationParts, { session, protocol, agent }: Booted): Promise<void> {
  const drafts = protocol.boot({ now: clock.now(), timeZone: agent.settings.timeZone });
  if (drafts.length === 0) return;
  const { type } = await session.take();
  try {
    // Whoever else opened it at the same time boots it.
    if (type !== "taken" || session.messages.length > 0) return;
    await session.append(
      ids.next(),
      drafts.map((draft) => ({ ...draft, kind: "event" as const })),
    );
  } finally {
    await session.release();
  }
}

// The system prompt, the tools and core memory are counted before every call and seldom change.
function cachedCount(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    if (known.size >= 100) known.clear();
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
}
