// Opens an agent in a conversation: finds or creates both, and assembles the dependencies of its turns.
// Invariant: an open agent has every module that its memory class defines, and a conversation of its user.
import type { Agent } from "../../../agent/agent.ts";
import { createAgent } from "../../../agent/create-agent.ts";
import { protocolOf } from "../../../agent/protocol/protocol-of.ts";
import type { ProtocolRules } from "../../../agent/protocol/protocol.ts";
import { openSession, type Session } from "../../../agent/session/session.ts";
import {
  type AgentDeps,
  createAgentTools,
  createPressureGauge,
  createRenderer,
  type Upkeep,
} from "../../../agent/turn.ts";
import { RequestError } from "../../../base/errors.ts";
import { type Attachments, createAttachments } from "../../../memory/attachments/attachments.ts";
import { createOpenFiles, type OpenFiles } from "../../../memory/attached/open-files.ts";
import type { ArchivalMemory } from "../../../memory/archival/archival-memory.ts";
import { defaultSystemPrompt, loadPrompt } from "../../../context/prompts/load-prompt.ts";
import { messageTools } from "../../../config/settings.ts";
import type { OpeningRecord } from "../../../store/port/opening-store.ts";
import type { AgentRecord, ConversationRecord } from "../../../store/port/records.ts";
import { createCalibration } from "../../../model/tokens/token-scale.ts";
import { cachedCount, type TokenCounter } from "../../../model/tokens/token-counter.ts";
import type { CreateAgentOptions, OpenAgentOptions } from "../../agents/contract.ts";
import { modelChangeOf, modelsOf, preparedCounter, requireModel, withModel } from "./agent-models.ts";
import { externalToolsOf, freshMemory, toolsOf, warnOfTools } from "./agent-tools.ts";
import { createAgentRecord } from "../../agents/create-agent-record.ts";
import { consolidationUpkeep } from "../../consolidation/run-consolidation.ts";
import { createTurnLookup } from "./create-turn-lookup.ts";
import { refillWorking } from "./refill-working.ts";
import { retentionUpkeep } from "../../retention/retention-operations.ts";
import { synopsisUpkeep } from "../../synopsis/refresh-synopsis.ts";
import { createAdvice, missingAgent, requireNewName } from "../../agents/find-agent.ts";
import { completedModules, completeModules, readOpening, withAgent } from "./read-opening.ts";
import { meaningDeps } from "../agent-memories.ts";
import { conversationNotFound, type OperationDeps } from "../operation-deps.ts";

type AgentDraftDeps = Pick<
  OperationDeps,
  "store" | "registry" | "defaults" | "maximum" | "checkSettings" | "models" | "ids" | "warn"
>;

/**
 * Opens an agent. Throws RequestError for an unknown agent or conversation, DefinitionError for an unregistered memory class.
 */
export async function openAgent(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<Agent> {
  const open = await depsOfAgent(deps, name, options);
  // Delivers messages between agents that an earlier process may have left undelivered.
  if (messageTools.some((tool) => open.agent.settings.addedTools.includes(tool))) deps.messages.wake();
  return createAgent(open, null);
}

/** Opens an agent, and returns the dependencies of its turns. Throws the same errors as `openAgent`. */
export async function depsOfAgent(deps: OperationDeps, name: string, options: OpenAgentOptions): Promise<AgentDeps> {
  const opening = await findOrCreate(deps, name, options);
  // Applying the deferred forgettings has changed the rows, so they are read again.
  if (opening.forgettingWaits && (await deps.deferred.complete())) return depsOfAgent(deps, name, options);
  const found = await withConversation(deps, await changeModel(deps, opening, options), options);
  return depsOfFound(deps, found, { options, upkeep: upkeepOf(deps, found.agent) });
}

export interface FoundAgent extends OpeningRecord {
  readonly conversation: ConversationRecord;
}

export interface FoundAgentOptions {
  readonly options: Pick<OpenAgentOptions, "tools" | "withoutCalls" | "forReading">;
  /** Names of tools that an ephemeral conversation does not have, because they write to the store. */
  readonly withoutTools?: readonly string[];
  /** Closes an ephemeral conversation. */
  readonly close?: () => Promise<void>;
  readonly upkeep: readonly Upkeep[];
}

/** Opens an agent in one of its existing conversations. */
export async function openFoundAgent(
  deps: OperationDeps,
  found: FoundAgent,
  { close, ...options }: FoundAgentOptions,
): Promise<Agent> {
  return createAgent(await depsOfFound(deps, found, options), close ?? null);
}

/** Returns the dependencies of an agent's turns in one of its existing conversations. */
export async function depsOfFound(
  deps: OperationDeps,
  found: FoundAgent,
  { options, upkeep, withoutTools = [] }: Omit<FoundAgentOptions, "close">,
): Promise<AgentDeps> {
  const agent = withAssistedPrompt(found.agent);
  await deps.tools.connect();
  const counter = preparedCounter(deps, agent);
  const models = modelDeps(deps, agent, options);
  const protocol = protocolOf(agent.protocol);
  const { tools: stored, hasFiles } = found;
  const added = { selection: options.tools ?? deps.tools.selection, stored, hasFiles, without: withoutTools };
  const toolsFor = toolsOf(deps, agent, added);
  const fresh = freshMemory(deps, agent);
  const isWriting = options.forReading !== true;
  const modules = await (isWriting ? completeModules : completedModules)(deps, found, fresh);
  const { store, registry, ids, clock } = deps;
  const isExternalTool = externalToolsOf(toolsFor(fresh));
  const lookup = createTurnLookup(deps, agent, isExternalTool);
  await lookup?.beforeLoad();
  const sessionOptions = {
    agent,
    conversationId: found.conversation.id,
    store,
    registry,
    protocol,
    counter,
    ids,
    clock,
    timeZone: agent.settings.timeZone,
    leaseMs: deps.turnTimes.leaseMs,
    onReload: async () => lookup?.beforeLoad(),
    onLeftBehind: (messageIds: readonly string[]) => lookup?.forget(messageIds),
  };
  const session = await openSession(sessionOptions, { ...found, modules });
  warnOfTools(deps, agent, added)(session.memory);
  const archival = deps.memories.archiveOf(agent);
  if (isWriting) await begin(deps, { session, protocol, agent, archival, isNew: found.conversation.leafId === null });
  await refillWorking(deps, agent, { conversationId: found.conversation.id, isExternalTool });
  const { turns, live, serving, deferred, log } = deps;
  return {
    ...models,
    conversationId: found.conversation.id,
    store,
    session,
    protocol,
    tools: createAgentTools({ session, protocol }, toolsFor, added.selection),
    window: { ...windowDeps(agent, { counter, protocol }), calibration: createCalibration(found.samples) },
    memories: { archival, lookup, ...(await filesAndMeaning(deps, found, counter)) },
    times: deps.turnTimes,
    host: { turns, live, serving, deferred, log },
    upkeep,
    ids,
    clock,
  };
}

async function filesAndMeaning(deps: OperationDeps, found: FoundAgent, counter: TokenCounter) {
  const openFiles = await openFilesOf(deps, found);
  return { attachments: attachmentsOf(deps, counter), meaning: meaningDeps(deps, found.agent.id), openFiles };
}

/** Returns the agent's open files; null if no file is attached. Files attached later appear at the next opening. */
async function openFilesOf(
  { store, clock, files: { matchLines } }: Pick<OperationDeps, "store" | "clock" | "files">,
  { agent, hasFiles }: Pick<OpeningRecord, "agent" | "hasFiles">,
): Promise<OpenFiles | null> {
  if (!hasFiles) return null;
  const files = createOpenFiles({ agentId: agent.id, store: store.attachedFiles, clock, matchLines });
  await files.refresh();
  return files;
}

/** Returns the agent with its models and their prices; `withModel` returns the same for the agent with another model. */
function modelDeps(deps: OperationDeps, agent: AgentRecord, options: FoundAgentOptions["options"]) {
  const { priceOf } = deps.models;
  const depsOf = (answering: AgentRecord) => {
    const { model, settings } = answering;
    const prices = { price: priceOf(model), summarizerPrice: priceOf(settings.summarizer ?? model) };
    return { agent: answering, models: { ...modelsOf(deps, answering, options), ...prices } };
  };
  return { ...depsOf(agent), withModel: (model: string) => depsOf(withModel(deps, agent, { model })) };
}

/** Gives an agent with `assist` the short prompt instead of the default one, because small models copy a long prompt. */
function withAssistedPrompt(agent: AgentRecord): AgentRecord {
  const isDefault = agent.systemPrompt === defaultSystemPrompt("native");
  if (agent.settings.assist !== "on" || !isDefault) return agent;
  return { ...agent, systemPrompt: loadPrompt("system-assisted") };
}

/** Starts background work: embeds texts without a vector, and deletes expired events. */
function startUpkeep(deps: OperationDeps, archival: Pick<ArchivalMemory, "embedPending">): void {
  archival.embedPending();
  deps.backFill.wake();
  expireEvents(deps);
}

/** Deletes expired events of turns in the background, unless a deletion began recently. */
export function expireEvents({
  store,
  background,
  clock,
  turnTimes,
}: Pick<OperationDeps, "store" | "background" | "clock" | "turnTimes">): void {
  const { keepEventsMs } = turnTimes;
  // There is nothing to delete: this runtime stores no events, and a process that stores events also deletes expired ones.
  if (keepEventsMs === 0) return;
  const pause = { ms: keepEventsMs / 2, now: clock.now() };
  background.runAfterPause("Deleting expired events", pause, () => store.events.expire(keepEventsMs));
}

function windowDeps(
  { settings }: AgentRecord,
  { counter, protocol }: { readonly counter: TokenCounter; readonly protocol: ProtocolRules },
) {
  return {
    render: createRenderer(protocol, settings.timeZone),
    countTokens: cachedCount(counter.count),
    stateNote: loadPrompt(settings.stateBlock === "full" ? "state-note" : "changes-note"),
    pressure: createPressureGauge(),
  };
}

function attachmentsOf(
  { store, files, ids }: Pick<OperationDeps, "store" | "files" | "ids">,
  { count }: TokenCounter,
): Attachments {
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

export function upkeepOf(deps: OperationDeps, agent: AgentRecord): readonly Upkeep[] {
  const vectors = deps.embedders.default === null ? null : { afterTurn: () => deps.backFill.wake(agent.id) };
  const consolidation = consolidationUpkeep(deps, agent);
  const stages = [vectors, retentionUpkeep(deps, agent), synopsisUpkeep(deps, agent), ...consolidation];
  return stages.filter((stage) => stage !== null);
}

export async function findOrCreate(
  deps: AgentDraftDeps,
  name: string,
  options: OpenAgentOptions,
): Promise<OpeningRecord> {
  const { create, conversation = "last" } = options;
  const found = await readOpening(deps, name, conversation);
  if (found !== null) return found;
  if (create === undefined) throw await missingAgent(deps, name, createAdvice);
  await requireNewName(deps, name);
  const { id } = await createOrFind(deps, { name, ...newAgentOptions(options) });
  const created = await readOpening(deps, id, conversation);
  // The agent is missing if another process deleted it in the meantime.
  if (created === null) throw await missingAgent(deps, name);
  return created;
}

async function changeModel(
  deps: AgentDraftDeps,
  opening: OpeningRecord,
  options: OpenAgentOptions,
): Promise<OpeningRecord> {
  const { agent } = opening;
  if (withModel(deps, agent, options) === agent) return opening;
  const changed = await deps.store.agents.update(agent.id, (current) => modelChangeOf(deps, current, options));
  return withAgent(deps, opening, changed);
}

/** Returns the options of an agent that is created when it is opened. */
export function newAgentOptions({
  create = {},
  model = create.model,
  baseUrl,
}: OpenAgentOptions): Omit<CreateAgentOptions, "name"> {
  const settings = baseUrl === undefined ? create.settings : { ...create.settings, baseUrl };
  return { ...create, ...(model === undefined ? {} : { model }), ...(settings === undefined ? {} : { settings }) };
}

/** Creates the agent, or returns the agent that another process has created under that name since the lookup. */
async function createOrFind(deps: AgentDraftDeps, options: CreateAgentOptions): Promise<AgentRecord> {
  // The model is checked first: the agent is opened to be used now, so it is not created without a usable model.
  requireModel(deps, options);
  try {
    return await createAgentRecord(deps, options);
  } catch (error) {
    const isTaken = error instanceof RequestError && error.code === "agent_exists";
    const made = isTaken ? await deps.store.agents.find(options.name) : null;
    if (made === null) throw error;
    return made;
  }
}

export async function withConversation(
  { store, ids, clock }: Pick<OperationDeps, "store" | "ids" | "clock">,
  opening: OpeningRecord,
  { conversation: wanted = "last", forReading = false }: OpenAgentOptions,
): Promise<FoundAgent> {
  const { agent, conversation } = opening;
  if (conversation !== null) return { ...opening, conversation };
  if (typeof wanted !== "string") throw conversationNotFound(agent, wanted.id);
  const started = { id: ids.next(), agentId: agent.id };
  if (!forReading) return { ...opening, conversation: await store.conversations.create(started) };
  const now = clock.now();
  return { ...opening, conversation: { ...started, title: null, leafId: null, createdAt: now, updatedAt: now } };
}

interface Begun extends Booted {
  readonly archival: Pick<ArchivalMemory, "embedPending">;
  readonly isNew: boolean;
}

/** Writes the boot sequence of a new conversation, and starts background work. */
async function begin(deps: OperationDeps, { archival, isNew, ...booted }: Begun): Promise<void> {
  if (isNew) await boot(deps, booted);
  startUpkeep(deps, archival);
}

interface Booted {
  readonly session: Session;
  readonly protocol: ProtocolRules;
  readonly agent: AgentRecord;
}

async function boot(
  { ids, clock }: Pick<OperationDeps, "ids" | "clock">,
  { session, protocol, agent }: Booted,
): Promise<void> {
  const drafts = protocol.boot({ now: clock.now(), timeZone: agent.settings.timeZone });
  if (drafts.length === 0) return;
  const { type } = await session.take();
  try {
    // If another process holds the lease, it has opened the conversation at the same time and writes the boot sequence.
    if (type !== "taken" || session.messages.length > 0) return;
    await session.append(
      ids.next(),
      drafts.map((draft) => ({ ...draft, kind: "event" as const })),
    );
  } finally {
    await session.lease.release(null);
  }
}
