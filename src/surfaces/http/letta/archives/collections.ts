// Archives and folders: both are sources of the runtime, told apart by a note.
// Invariant: a source that was made elsewhere is a folder, as its passages come from files.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Attachment } from "../agents/attachment.ts";
import { withFreeName } from "../free-names.ts";

export type Source = Awaited<ReturnType<UserRuntime["sources"]["show"]>>;
export type CollectionKind = "archive" | "folder";

const notesShape = z.object({
  kind: z.enum(["archive", "folder"]).catch("folder"),
  /** The client's name, if the runtime's is another. */
  name: z.string().optional(),
  instructions: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
  updated_at: z.string().optional(),
});

export type CollectionNotes = z.output<typeof notesShape>;

export function notesOf({ extensions }: Source): CollectionNotes {
  return notesShape.parse(extensions["letta"] ?? {});
}

/** Oldest first. */
export async function collectionsOf({ sources }: Pick<UserRuntime, "sources">, kind: CollectionKind) {
  const found = (await sources.list()).filter((source) => notesOf(source).kind === kind);
  return found.toSorted(
    (one, other) => Number(one.createdAt) - Number(other.createdAt) || (one.id < other.id ? -1 : 1),
  );
}

/** Those that are attached to the agent with this UUID. */
export async function attachedTo(runtime: Pick<UserRuntime, "sources">, kind: CollectionKind, agent: string) {
  return (await collectionsOf(runtime, kind)).filter(({ agentIds }) => agentIds.includes(agent));
}

/** Attaches these folders to an agent and no others. Throws RequestError `source_not_found`. */
export async function setFolders(
  runtime: Pick<UserRuntime, "sources">,
  agent: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await collectionAt(runtime, "folder", id);
  const has = (await attachedTo(runtime, "folder", agent)).map(({ id }) => id);
  for (const id of has.filter((one) => !ids.includes(one))) await runtime.sources.detach(agent, id);
  for (const id of ids.filter((one) => !has.includes(one))) await runtime.sources.attach(agent, id);
}

/** Throws RequestError `agent_not_found` and, also for a collection of the other kind, `source_not_found`. */
export async function setAttached(
  runtime: Pick<UserRuntime, "agents" | "sources">,
  kind: CollectionKind,
  { agent, id, isWanted }: Attachment,
): Promise<void> {
  await runtime.agents.find(agent);
  await collectionAt(runtime, kind, id);
  await (isWanted ? runtime.sources.attach(agent, id) : runtime.sources.detach(agent, id));
}

/** Throws RequestError `source_not_found` also for a collection of the other kind. */
export async function collectionAt(
  { sources }: Pick<UserRuntime, "sources">,
  kind: CollectionKind,
  id: string,
): Promise<Source> {
  const found = await sources.show(id);
  if (found.id === id && notesOf(found).kind === kind) return found;
  throw new RequestError("source_not_found", `There is no ${kind} with the id ${id}.`);
}

export interface CollectionRequest {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly instructions?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export function createCollection(
  { sources }: Pick<UserRuntime, "sources">,
  kind: CollectionKind,
  { name: wanted, description, instructions, metadata }: CollectionRequest,
): Promise<Source> {
  return withFreeName(wanted, ({ name, shown }) =>
    sources.create(name, {
      description: description ?? null,
      extensions: {
        letta: {
          kind,
          ...(shown === undefined ? {} : { name: shown }),
          ...(instructions === undefined ? {} : { instructions }),
          ...(metadata === undefined ? {} : { metadata: metadata === null ? null : { ...metadata } }),
        },
      },
    }),
  );
}

export interface CollectionChange extends Omit<CollectionRequest, "name"> {
  readonly name?: string | undefined;
}

/** Changes the fields that are given and not undefined. */
export function changeCollection(
  { sources }: Pick<UserRuntime, "sources">,
  source: Source,
  { name: wanted, description, instructions, metadata }: CollectionChange,
): Promise<Source> {
  const notes = {
    ...notesOf(source),
    ...(instructions === undefined ? {} : { instructions }),
    ...(metadata === undefined ? {} : { metadata }),
    updated_at: new Date().toISOString(),
  };
  const described = description === undefined ? {} : { description };
  const { name: _shown, ...unnamed } = notes;
  if (wanted === undefined)
    return sources.update(source.id, { ...described, extensions: { ...source.extensions, letta: notes } });
  return withFreeName(wanted, ({ name, shown }) =>
    sources.update(source.id, {
      ...described,
      name,
      extensions: { ...source.extensions, letta: { ...unnamed, ...(shown === undefined ? {} : { name: shown }) } },
    }),
  );
}
