// Declares the rows that an import reads from the database of Letta's server, in Letta's own form.
// Invariant: types and shapes only; keys that an import does not read are ignored.
import * as z from "zod";
import { embeddingConfig, lettaAgent, lettaBlock, lettaMessage, lettaMoment, lettaTool } from "../letta/letta-form.ts";

const id = z.string();
const text = z.string();
const row = { id, created_at: lettaMoment.nullish() };
const metadata = z.record(z.string(), z.unknown()).nullish();
const described = z.looseObject({ ...row, name: text, description: text.nullish(), metadata_: metadata });

export const databaseShapes = {
  agents: lettaAgent.extend({ id, name: text.nullish(), message_ids: z.array(text).nullish() }),
  blocks: lettaBlock.extend({ id, created_at: row.created_at }),
  tools: lettaTool.extend(row),
  sources: described,
  archives: described,
  conversations: z.looseObject({ ...row, agent_id: id, summary: text.nullish() }),
  messages: lettaMessage.extend({ id, conversation_id: id.nullish() }),
  passages: z.looseObject({
    ...row,
    text,
    tags: z.array(text).nullish(),
    /** The vector as text, padded with zeros after the embedder's dimensions. */
    embedding: text.nullish(),
    embedding_config: embeddingConfig.nullish(),
  }),
  files: z.looseObject({
    ...row,
    source_id: id,
    file_name: text.nullish(),
    original_file_name: text.nullish(),
    text: text.nullish(),
  }),
  blockHolders: z.looseObject({ agent_id: id, block_id: id }),
  toolHolders: z.looseObject({ agent_id: id, tool_id: id }),
  sourceHolders: z.looseObject({ agent_id: id, source_id: id }),
  archiveHolders: z.looseObject({ agent_id: id, archive_id: id }),
  tags: z.looseObject({ agent_id: id, tag: text }),
  identities: z.looseObject({
    ...row,
    identifier_key: text,
    name: text,
    identity_type: text,
    properties: z.array(z.looseObject({ key: text, type: text, value: z.unknown() })).nullish(),
  }),
  identityHolders: z.looseObject({ agent_id: id, identity_id: id }),
} as const;

type Rows<Name extends keyof typeof databaseShapes> = readonly z.output<(typeof databaseShapes)[Name]>[];

export type DatabaseAgent = Rows<"agents">[number];
export type DatabasePassage = Rows<"passages">[number];
export type DatabaseIdentity = Rows<"identities">[number];
/** A folder or an archive. */
export type DatabaseSource = z.output<typeof described>;
export type DatabaseMessage = Rows<"messages">[number];

/** The tables that are read in parts. */
type PartName = "messages" | "passages" | "files";

/** All rows of the tables that are not read in parts, oldest first. */
export type LettaServer = { readonly [Name in Exclude<keyof typeof databaseShapes, PartName>]: Rows<Name> } & {
  /** Number of rows of each kind that cannot be moved. */
  readonly unmoved: Readonly<Record<string, number>>;
};

export interface LettaDatabase {
  server(): Promise<LettaServer>;
  /** Returns the messages of a conversation in order. `conversationId` null: the agent's own conversation. */
  messages(agentId: string, conversationId: string | null): Promise<readonly DatabaseMessage[]>;
  /** Returns the ids of the messages in the window of a conversation other than the agent's own. */
  window(conversationId: string): Promise<readonly string[]>;
  /** Returns the next passages after the id `after` (null: from the start), sorted by id; an empty list at the end. */
  passages(archiveId: string, after: string | null): Promise<Rows<"passages">>;
  files(sourceId: string): Promise<Rows<"files">>;
}
