// Stores archives and folders as sources of the runtime. `kind` in a source's extension is "archive" or "folder".
// Invariant: a source without `kind` is a folder, because its passages come from files. An agent's own archive is not a
// source: it has the agent's UUID and the passages of the agent's archival memory.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { withFreeName } from "../free-names.ts";
import { shownOrganizationId, shownUserId } from "../ids.ts";
import { embeddingConfigField, embeddingConfigOf, type WithConfig } from "../models.ts";
import type { AgentRecord, Source } from "../runtime-records.ts";
import { fixed, given, json, momentOf, nullableText, recordOf, text } from "../wire-record.ts";

export type CollectionKind = "archive" | "folder";

const extensionShape = z.object({
  kind: z.enum(["archive", "folder"]).catch("folder"),
  /** The name that the client gave, if it differs from the name in the runtime. */
  name: text.optional(),
  instructions: nullableText.optional(),
  metadata: json.nullable().optional(),
  updated_at: text.optional(),
});

function extensionOf({ extensions }: Source): z.output<typeof extensionShape> {
  return extensionShape.parse(extensions["letta"] ?? {});
}

/** Returns the name that the client gave to an archive or a folder. */
export function nameOf(source: Source): string {
  return extensionOf(source).name ?? source.name;
}

/** The fields for the users who created and last changed a record. */
export const madeFields = {
  created_by_id: fixed(shownUserId),
  last_updated_by_id: fixed(shownUserId),
  organization_id: fixed(shownOrganizationId),
} as const;

interface ShownSource extends WithConfig {
  readonly source: Source;
}

const collectionFields = {
  ...madeFields,
  name: [text, ({ source }: ShownSource) => nameOf(source)],
  description: [nullableText, ({ source }: ShownSource) => source.description],
  metadata: [json.nullable(), ({ source }: ShownSource) => extensionOf(source).metadata ?? null],
  embedding_config: embeddingConfigField,
  vector_db_provider: fixed("native"),
  created_at: [text, ({ source }: ShownSource) => momentOf(source.createdAt)],
  updated_at: [
    text,
    ({ source }: ShownSource) => momentOf(new Date(extensionOf(source).updated_at ?? source.createdAt)),
  ],
} as const;

export const folderRecord = recordOf<ShownSource>()({
  ...collectionFields,
  id: [text, ({ source }) => `source-${source.id}`],
  instructions: [nullableText, ({ source }) => extensionOf(source).instructions ?? null],
});

const archiveRecord = recordOf<ShownSource>()({
  ...collectionFields,
  id: [text, ({ source }) => `archive-${source.id}`],
});

/** An agent's own archive in Letta's form. */
const agentArchiveRecord = recordOf<WithConfig & { readonly agent: AgentRecord }>()({
  ...madeFields,
  name: [text, ({ agent }) => `${agent.name}'s Archive`],
  description: fixed("Default archive created automatically"),
  metadata: fixed(null),
  embedding_config: embeddingConfigField,
  vector_db_provider: fixed("native"),
  created_at: [text, ({ agent }) => momentOf(agent.createdAt)],
  updated_at: [text, ({ agent }) => momentOf(agent.createdAt)],
  id: [text, ({ agent }) => `archive-${agent.id}`],
});

/** An archive: a source, or the agent to which the archive belongs as its own archive. */
export type Archive = Source | AgentRecord;

export const archiveShape = archiveRecord.shape;

export async function shownArchives(runtime: Pick<UserRuntime, "models">, archives: readonly Archive[]) {
  const config = await embeddingConfigOf(runtime);
  return archives.map((archive) =>
    "systemPrompt" in archive
      ? agentArchiveRecord.show({ agent: archive, config })
      : archiveRecord.show({ source: archive, config }),
  );
}

export async function shownFolders(runtime: Pick<UserRuntime, "models">, sources: readonly Source[]) {
  const config = await embeddingConfigOf(runtime);
  return sources.map((source) => folderRecord.show({ source, config }));
}

type Sources = Pick<UserRuntime, "sources">;

/** Returns all archives or all folders, oldest first. */
export async function collectionsOf({ sources }: Sources, kind: CollectionKind): Promise<readonly Source[]> {
  const found = (await sources.list()).filter((source) => extensionOf(source).kind === kind);
  return found.toSorted(
    (one, other) => Number(one.createdAt) - Number(other.createdAt) || (one.id < other.id ? -1 : 1),
  );
}

/** Returns the archives or folders that are attached to the agent with this UUID, oldest first. */
export async function attachedTo(runtime: Sources, kind: CollectionKind, agent: string) {
  return (await collectionsOf(runtime, kind)).filter(({ agentIds }) => agentIds.includes(agent));
}

/** Attaches these folders to an agent, and detaches all others. Throws RequestError `source_not_found`. */
export async function setFolders(runtime: Sources, agent: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await collectionAt(runtime, "folder", id);
  const has = (await attachedTo(runtime, "folder", agent)).map(({ id }) => id);
  for (const id of has.filter((one) => !ids.includes(one))) await runtime.sources.detach(agent, id);
  for (const id of ids.filter((one) => !has.includes(one))) await runtime.sources.attach(agent, id);
}

/** A request to attach a record to an agent (`isWanted` true) or to detach the record. */
export interface Attachment {
  /** The UUID of the agent; `id` is the UUID of the record. */
  readonly agent: string;
  readonly id: string;
  readonly isWanted: boolean;
}

/**
 * Attaches or detaches a collection. Throws RequestError `agent_not_found`, and `source_not_found` for an unknown id or a
 * collection of the other kind.
 */
export async function setAttached(
  runtime: Pick<UserRuntime, "agents" | "sources">,
  kind: CollectionKind,
  { agent, id, isWanted }: Attachment,
): Promise<void> {
  await runtime.agents.find(agent);
  await collectionAt(runtime, kind, id);
  await (isWanted ? runtime.sources.attach(agent, id) : runtime.sources.detach(agent, id));
}

/** Returns the collection with this id. Throws RequestError `source_not_found` for an unknown id or another kind. */
export async function collectionAt({ sources }: Sources, kind: CollectionKind, id: string): Promise<Source> {
  const found = await sources.show(id);
  if (found.id === id && extensionOf(found).kind === kind) return found;
  throw new RequestError("source_not_found", `There is no ${kind} with the id ${id}.`);
}

interface CollectionChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly instructions?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Returns the fields of a request that the source's extension stores, if they are given. Null removes a stored value. */
function sentExtension({ instructions, metadata }: CollectionChange) {
  return Object.fromEntries(Object.entries({ instructions, metadata }).filter(([, value]) => value !== undefined));
}

export function createCollection(
  { sources }: Sources,
  kind: CollectionKind,
  request: CollectionChange & { readonly name: string },
): Promise<Source> {
  const { name: wanted, description = null } = request;
  return withFreeName(wanted, ({ name, shown }) =>
    sources.create(name, {
      description,
      extensions: { letta: { kind, ...given({ name: shown }), ...sentExtension(request) } },
    }),
  );
}

/** Changes the fields of a collection that the request sets, and returns the changed collection. */
export function changeCollection(
  { sources }: Sources,
  source: Source,
  { name: wanted, description, ...request }: CollectionChange,
): Promise<Source> {
  const { name: formerly, ...others } = extensionOf(source);
  const update = (more: { readonly name?: string }, shown: string | undefined): Promise<Source> => {
    const named = given({ name: shown });
    const extension = { ...others, ...named, ...sentExtension(request), updated_at: new Date().toISOString() };
    const described = description === undefined ? {} : { description };
    return sources.update(source.id, { ...more, ...described, extensions: { ...source.extensions, letta: extension } });
  };
  return wanted === undefined
    ? update({}, formerly)
    : withFreeName(wanted, ({ name, shown }) => update({ name }, shown));
}
