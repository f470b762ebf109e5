// Converts the database of Letta's server to a transfer: first the parts that agents share, then one agent at a time.
// Invariant: pure; every id is the UUID in an id of Letta, or derived from that id, so that the same database gives the
// same transfer again. A vector is used only if the embedder here has the vector's model and number of dimensions.
import { groupBy } from "../../base/lists.ts";
import type { VectorKind } from "../../store/port/embedder-store.ts";
import type { Identity, IdentityKind, IdentityProperty } from "../../store/port/identity-store.ts";
import type {
  Transfer,
  TransferredAgent,
  TransferredConversation,
  TransferredModule,
  TransferredPassage,
  TransferredSource,
} from "../../store/port/transfer-store.ts";
import { outsidePassage } from "../outside-passage.ts";
import { derivedId } from "../derived-id.ts";
import { agentOf, conversationWith, moduleLabels, moduleOf, protocolOf } from "../letta/letta-agent.ts";
import { closingIndex, threadOf } from "../letta/letta-messages.ts";
import { rulesOf, toolOf } from "../letta/letta-tools.ts";
import type {
  DatabaseAgent,
  DatabaseIdentity,
  DatabaseMessage,
  DatabasePassage,
  DatabaseSource,
  LettaServer,
} from "./letta-database.ts";

export interface SharedParts extends Omit<Transfer, "agents"> {
  /** The modules by the ids of their blocks in Letta. */
  readonly modulesByBlock: ReadonlyMap<string, TransferredModule>;
  /** Names of tools, including built-in tools, by their ids in Letta. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** Ids in Letta of the archives that only one agent has, by the agent's id: their passages become the agent's own. */
  readonly ownArchives: ReadonlyMap<string, readonly string[]>;
  /** Ids in Letta of the archives that several agents or no agents have. */
  readonly sharedArchives: readonly string[];
  readonly notes: readonly string[];
}

/** Returns the parts that agents share, without passages and files. `at`: the time for records without a time. */
export function readShared(server: LettaServer, at: string): SharedParts {
  const notes = Object.entries(server.unmoved).flatMap(([what, count]) =>
    count === 0 ? [] : [`${count} ${what}: not moved.`],
  );
  const tools = server.tools.flatMap((letta) => {
    const { tool, note } = toolOf(letta, letta.created_at ?? at);
    if (note !== null && !(letta.tool_type?.startsWith("letta_") === true)) notes.push(`${note}.`);
    return tool === null ? [] : [{ ...tool, id: uuidOf(letta.id) }];
  });
  const holders = grouped(server.archiveHolders.map(({ archive_id: id, agent_id: agent }) => [id, agent]));
  const only = server.archives.flatMap(({ id }): [string, string][] => {
    const [agent, ...others] = holders.get(id) ?? [];
    return agent === undefined || others.length > 0 ? [] : [[agent, id]];
  });
  const own = new Set(only.map(([, id]) => id));
  const shared = server.archives.filter(({ id }) => !own.has(id));
  const labels = moduleLabels(server.blocks);
  const modulesByBlock = new Map(
    server.blocks.map((block) => {
      const label = labels.labelOf(block.label);
      const module = moduleOf(block, { id: uuidOf(block.id), label, at: block.created_at ?? at });
      return [block.id, { ...module, isKept: true }];
    }),
  );
  return {
    modules: [...modulesByBlock.values()],
    modulesByBlock,
    tools,
    sources: [
      ...server.sources.map((source) => sourceOf(source, { at, kind: "folder" })),
      ...shared.map((archive) => sourceOf(archive, { at, kind: "archive" })),
    ],
    toolNames: new Map(server.tools.map(({ id, name }) => [id, name])),
    ownArchives: grouped(only),
    sharedArchives: shared.map(({ id }) => id),
    notes: [...notes, ...labels.notes],
  };
}

function grouped(pairs: readonly (readonly [key: string, value: string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = groupBy(pairs, ([key]) => key);
  return new Map([...groups].map(([key, group]) => [key, group.map(([, value]) => value)]));
}

function sourceOf(
  letta: DatabaseSource,
  { at, kind }: { readonly at: string; readonly kind: "folder" | "archive" },
): TransferredSource {
  const { id, name, description, metadata_: metadata, created_at: createdAt } = letta;
  return {
    id: uuidOf(id),
    name: sourceName(name),
    description: description ?? null,
    metadata: metadata ?? {},
    extensions: { letta: { kind, name } },
    createdAt: createdAt ?? at,
    files: [],
    passages: [],
  };
}

/** Returns the name of a source on one line, at most 90 code points. */
function sourceName(name: string): string {
  const plain = name.replaceAll(/\p{Cc}+/gu, " ").trim();
  return plain === "" ? "source" : [...plain].slice(0, 90).join("");
}

export function passageOf({ id, text, tags, created_at: createdAt }: DatabasePassage, at: string): TransferredPassage {
  return outsidePassage({ id: uuidOf(id), text, tags: [...new Set(tags ?? [])], at: createdAt ?? at });
}

interface AgentScene {
  readonly server: LettaServer;
  readonly shared: SharedParts;
  readonly at: string;
}

/** Returns an agent with everything that belongs to it, except its conversations and passages; and notes about the agent. */
export function readDatabaseAgent(letta: DatabaseAgent, { server, shared, at }: AgentScene) {
  const of = <Row extends { readonly agent_id: string }>(rows: readonly Row[]) =>
    rows.filter(({ agent_id: agent }) => agent === letta.id);
  const named = { ...letta, name: letta.name ?? "agent", tags: of(server.tags).map(({ tag }) => tag) };
  const toolIds = of(server.toolHolders).map(({ tool_id: id }) => id);
  const toolNames = toolIds.flatMap((id) => shared.toolNames.get(id) ?? []);
  const modules = of(server.blockHolders).flatMap(({ block_id: id }) => shared.modulesByBlock.get(id) ?? []);
  const attachedIds = new Set(toolIds.map(uuidOf));
  const attached = shared.tools.filter(({ id }) => attachedIds.has(id));
  const own = shared.ownArchives.get(letta.id) ?? [];
  const sources = [
    ...of(server.sourceHolders).map(({ source_id: id }) => id),
    ...of(server.archiveHolders)
      .map(({ archive_id: id }) => id)
      .filter((id) => !own.includes(id)),
  ];
  const known = new Set(shared.sources.map(({ id }) => id));
  const agent: TransferredAgent = agentOf(named, {
    id: uuidOf(letta.id),
    at,
    toolNames,
    modules,
    tools: attached.map(({ id, source }) => ({ id, requiresApproval: source === null ? null : true })),
    sources: sources.map(uuidOf).filter((id) => known.has(id)),
  });
  const { dropped } = rulesOf(named.tool_rules ?? [], toolNames);
  const identities = of(server.identityHolders).map(({ identity_id: id }) => uuidOf(id));
  return {
    agent: identities.length === 0 ? agent : { ...agent, extensions: withIdentities(agent.extensions, identities) },
    notes:
      dropped === 0 ? [] : [`agent ${JSON.stringify(agent.name)}: ${dropped} tool rule(s) have no counterpart here.`],
  };
}

function withIdentities(extensions: TransferredAgent["extensions"], identities: readonly string[]) {
  const letta = extensions["letta"] as Readonly<Record<string, unknown>> | undefined;
  return { ...extensions, letta: { ...letta, identity_ids: identities } };
}

interface DatabaseConversation {
  /** The id in Letta; null: the agent's own conversation, which is given the agent's id, as Letta's API expects. */
  readonly id: string | null;
  readonly title: string | null;
  readonly createdAt: string | null;
  readonly messages: readonly DatabaseMessage[];
  /** Ids in Letta of the messages in the window; null: all. */
  readonly inContext: readonly string[] | null;
}

/** Returns a conversation; null for the agent's own conversation (`id` null) if it has no messages. */
export function readConversation(
  letta: DatabaseAgent,
  conversation: DatabaseConversation,
  at: string,
): TransferredConversation | null {
  const { messages, inContext, title, createdAt } = conversation;
  const id = uuidOf(conversation.id ?? letta.id);
  const copied = new Set(
    messages.filter((message) => (message.conversation_id ?? null) !== conversation.id).map((message) => message.id),
  );
  const idOf = (lettaId: string | null, index: number) => {
    if (lettaId === null) return derivedId(id, String(index));
    return copied.has(lettaId) ? derivedId(id, lettaId) : uuidOf(lettaId);
  };
  const named = { ...letta, name: letta.name ?? "" };
  const options = { protocol: protocolOf(named), system: letta.system ?? "", idOf, inContext, at };
  const thread = threadOf(messages, options);
  if (thread.messages.length === 0 && conversation.id === null) return null;
  const copies = new Set([...copied].map((lettaId) => derivedId(id, lettaId)));
  // Copies of a fork are hidden from recall, because recall finds the original messages.
  const recalled = thread.messages.map((one) => (copies.has(one.id) ? { ...one, isRecalled: false } : one));
  const shown = { ...thread, messages: recalled };
  const made = conversationWith(shown, { id, compactionId: derivedId(id, "window"), title, at: createdAt ?? at });
  return { ...made, closingId: idOf(null, closingIndex), ...(createdAt === null ? {} : { createdAt }) };
}

/** Returns the UUID in an id of Letta, or one derived from the id. */
export function uuidOf(lettaId: string): string {
  const [, uuid] = /^[a-z]+-([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/iu.exec(lettaId) ?? [];
  return uuid?.toLowerCase() ?? derivedId("letta", lettaId);
}

/** The known kinds of identities, and types of their properties; unknown ones become `other` and `json`. */
const kinds: readonly IdentityKind[] = ["user", "org", "other"];
const types: readonly IdentityProperty["type"][] = ["string", "number", "boolean", "json"];

export function identityOf(letta: DatabaseIdentity, at: string): Identity {
  const { id, identifier_key: key, name, identity_type: type, properties, created_at: createdAt } = letta;
  return {
    id: uuidOf(id),
    key,
    name,
    kind: kinds.find((kind) => kind === type) ?? "other",
    properties: (properties ?? []).map((property) => ({
      key: property.key,
      type: types.find((known) => known === property.type) ?? "json",
      value: property.value,
    })),
    createdAt: new Date(createdAt ?? at),
  };
}

export function vectorsOf(passages: readonly DatabasePassage[], kind: VectorKind) {
  return passages.flatMap(({ id, embedding, embedding_config: config }) => {
    const { embedding_endpoint_type: type, embedding_model: model, embedding_dim: dimensions } = config ?? {};
    const isSame = `${type}/${model}` === kind.embedder && dimensions === kind.dimensions;
    const vector = isSame ? (embedding ?? "").replaceAll(/[[\]]/gu, "").split(",").map(Number) : [];
    return vector.length < kind.dimensions ? [] : [{ passageId: uuidOf(id), vector: vector.slice(0, kind.dimensions) }];
  });
}
