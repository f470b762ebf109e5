// Defines the routes of `/v1` for folders and their files. For older clients, the routes also exist below `/sources`.
// Invariant: a file is read when it is uploaded, so its status is final: completed, or error with the reason. A file
// that cannot be read is not stored; `duplicate_handling` says what happens with a name that exists.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { Fault } from "../../fault.ts";
import type { Route } from "../../route.ts";
import { shownOrganizationId } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { requireEmbedder } from "../models.ts";
import { pageOf, pageQuery } from "../pages.ts";
import type { Source, SourceFile } from "../runtime-records.ts";
import { invalidArgument, WireFault } from "../wire-fault.ts";
import { each, fixed, json, momentOf, nullableText, nulls, recordOf, text, whole } from "../wire-record.ts";
import {
  changeCollection,
  collectionAt,
  collectionsOf,
  createCollection,
  folderRecord,
  nameOf,
  shownFolders,
} from "./collections.ts";
import { pageOfSource, passageRecord, passagesQuery, shownPassages } from "./passages.ts";

const mediaTypes: Readonly<Record<SourceFile["kind"], string>> = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  pdf: "application/pdf",
  "json-lines": "application/jsonl",
  code: "text/x-code",
};

interface ShownFile {
  readonly file: SourceFile;
  readonly sourceId: string;
}

const fileRecord = recordOf<ShownFile>()({
  ...nulls("file_path", "file_creation_date", "file_last_modified_date", "content"),
  source_id: [text, ({ sourceId }) => `source-${sourceId}`],
  file_name: [text, ({ file }) => file.path],
  original_file_name: [text, ({ file }) => file.path],
  file_type: [text, ({ file }) => mediaTypes[file.kind]],
  file_size: [whole, ({ file }) => file.bytes],
  processing_status: [text, ({ file }) => (file.status === "loaded" ? "completed" : "error")],
  error_message: [nullableText, ({ file }) => file.reason],
  total_chunks: [whole, ({ file }) => file.passages],
  chunks_embedded: [whole, ({ file }) => file.passages],
  id: [text, ({ file }) => `file-${file.id}`],
  organization_id: fixed(shownOrganizationId),
  created_at: [text, ({ file }) => momentOf(file.loadedAt)],
  updated_at: [text, ({ file }) => momentOf(file.loadedAt)],
});

export const folderKind: RecordKind<Source> = {
  param: "folder",
  one: "a folder",
  many: "folders",
  shape: folderRecord.shape,
  show: (sources, { runtime }) => shownFolders(runtime, sources),
};

const details = {
  ...each(text.nullish(), "description", "instructions", "embedding"),
  metadata: json.nullish(),
  embedding_config: z.looseObject({}).nullish(),
};

const contentQuery = { include_content: text.optional() };

const handling = z.enum(["skip", "error", "suffix", "replace"]).optional();

const uploadQuery = z.object({ name: z.string().min(1).optional(), duplicate_handling: handling });
const uploadForm = uploadQuery.extend({ file: z.file() });

interface Upload {
  readonly file: File;
  readonly name: string;
  readonly handling: z.output<typeof handling>;
}

type Base = "/folders" | "/sources";

function folderRoutesAt(base: Base): readonly Route[] {
  const folder = recordRoutes(base, folderKind);
  return [
    folder.list({
      query: pageQuery("source").extend({ name: text.optional() }),
      run: async ({ runtime, query }) => {
        const all = await collectionsOf(runtime, "folder");
        return pageOf(
          all.filter((source) => query.name === undefined || nameOf(source) === query.name),
          query,
        );
      },
    }),
    folder.create({
      body: z.object({ name: z.string().min(1), ...details }),
      run: async ({ runtime, body: { embedding, ...body } }) => {
        if (typeof embedding === "string") await requireEmbedder(runtime, embedding);
        await requireNewName(runtime, body.name);
        return createCollection(runtime, "folder", body);
      },
    }),
    folder.count({ run: async ({ runtime }) => (await collectionsOf(runtime, "folder")).length }),
    on(`get ${base}/name/:name`, "read", "Get the id of the folder with a name", {
      output: text,
      run: async ({ runtime, params: { name } }) => {
        const found = await folderNamed(runtime, name);
        if (found !== undefined) return `source-${found.id}`;
        throw new WireFault(404, "source_not_found", { detail: `Source with name=${name} not found.` });
      },
    }),
    folder.get({ run: ({ runtime }, id) => collectionAt(runtime, "folder", id) }),
    folder.change({
      body: z.object({ name: z.string().min(1).optional(), ...details }),
      run: async ({ runtime, body }, id) => changeCollection(runtime, await collectionAt(runtime, "folder", id), body),
    }),
    folder.remove({
      summary: "Delete a folder with its files",
      run: async ({ runtime }, id) => runtime.sources.delete((await collectionAt(runtime, "folder", id)).id),
    }),
  ];
}

function contentRoutesAt(base: Base): readonly Route[] {
  return [
    on(`get ${base}/:folder/agents`, "read", "List the ids of the agents that a folder is attached to", {
      query: pageQuery("agent"),
      output: z.array(text),
      run: async ({ runtime, params, query }) => {
        const { agentIds } = await collectionAt(runtime, "folder", params.folder);
        const agents = agentIds.map((id) => ({ id }));
        return pageOf(agents, { ascending: true, ...query }).map(({ id }) => `agent-${id}`);
      },
    }),
    on(`get ${base}/:folder/passages`, "read", "List the passages of a folder's files", {
      query: passagesQuery,
      output: z.array(passageRecord.shape),
      run: async ({ runtime, params: { folder }, query }) => {
        await collectionAt(runtime, "folder", folder);
        const passages = await shownPassages(runtime, await pageOfSource(runtime, folder, query));
        return passages.map((passage) => ({ ...passage, archive_id: null, source_id: `source-${folder}` }));
      },
    }),
    on(`post ${base}/:folder/upload`, "admin", "Upload a file into a folder", {
      query: uploadQuery,
      isForm: true,
      body: uploadForm,
      output: fileRecord.shape,
      run: async ({ runtime, params: { folder }, query, body }) => {
        const source = await collectionAt(runtime, "folder", folder);
        const file = await uploadFile(runtime, source, {
          file: body.file,
          name: query.name ?? body.name ?? body.file.name,
          handling: query.duplicate_handling ?? body.duplicate_handling,
        });
        // Only this response has the folder's name before the file's name.
        return { ...fileRecord.show({ file, sourceId: source.id }), file_name: `${nameOf(source)}/${file.path}` };
      },
    }),
    on(`get ${base}/:folder/files`, "read", "List the files of a folder", {
      query: pageQuery("file").extend(contentQuery),
      output: z.array(fileRecord.shape),
      run: async ({ runtime, params: { folder }, query }) => {
        const { id: sourceId } = await collectionAt(runtime, "folder", folder);
        const files = (await runtime.sources.files(folder)).toSorted((one, other) => (one.id < other.id ? -1 : 1));
        return pageOf(files, query).map((file) => fileRecord.show({ file, sourceId }));
      },
    }),
    on(`get ${base}/:folder/files/:file`, "read", "Get a file of a folder", {
      query: z.object(contentQuery),
      output: fileRecord.shape,
      run: async ({ runtime, params }) => fileRecord.show(await fileAt(runtime, params.folder, params.file)),
    }),
    on(`delete ${base}/:folder/:file`, "admin", "Delete a file of a folder", {
      output: null,
      run: async ({ runtime, params }) => {
        const { file, sourceId } = await fileAt(runtime, params.folder, params.file);
        await runtime.sources.removeFile(sourceId, file.path);
      },
    }),
  ];
}

async function folderNamed(runtime: UserRuntime, name: string): Promise<Source | undefined> {
  return (await collectionsOf(runtime, "folder")).find((source) => nameOf(source) === name);
}

/** Checks that no folder has this name, because folders have unique names. Throws WireFault with the status 409. */
async function requireNewName(runtime: UserRuntime, name: string): Promise<void> {
  if ((await folderNamed(runtime, name)) === undefined) return;
  throw new WireFault(409, "source_exists", { detail: `Source with name '${name}' already exists.` });
}

/**
 * Returns a file of a folder. Throws RequestError `source_not_found`, and WireFault with the status 404 for an unknown file.
 */
async function fileAt(runtime: UserRuntime, folder: string, wanted: string): Promise<ShownFile> {
  const { id: sourceId } = await collectionAt(runtime, "folder", folder);
  const file = (await runtime.sources.files(sourceId)).find(({ id }) => id === wanted);
  if (file !== undefined) return { file, sourceId };
  throw new WireFault(404, "source_not_found", { detail: `File with id=file-${wanted} not found.` });
}

export const folderRoutes: readonly Route[] = (["/folders", "/sources"] as const).flatMap((base) => [
  ...folderRoutesAt(base),
  ...contentRoutesAt(base),
]);

/**
 * Loads an uploaded file into a folder, and returns it. Throws Fault with the status 415 for a file that cannot be read, and
 * with 400 for a name that exists or cannot be used.
 */
async function uploadFile(runtime: Pick<UserRuntime, "sources">, source: Source, upload: Upload): Promise<SourceFile> {
  const { sources } = runtime;
  const { id } = source;
  const { file, name: wanted, handling: duplicates = "suffix" } = upload;
  const files = await sources.files(id);
  const existing = files.find(({ path }) => path === wanted);
  if (existing !== undefined && duplicates === "skip") return existing;
  if (existing !== undefined && duplicates === "error")
    throw invalidArgument("file", `File '${wanted}' already exists in this folder.`);
  const isFree = existing === undefined || duplicates === "replace";
  const name = isFree ? wanted : freeName(wanted, new Set(files.map(({ path }) => path)));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isNew = files.every(({ path }) => path !== name);
  const reason = await loadFile(sources, id, { name, data: bytes, isNew });
  if (reason !== null) {
    // Another upload may have taken the name since the files were listed.
    const isTaken = isNew && (await sources.files(id)).some(({ path }) => path === name);
    if (isTaken) return uploadFile(runtime, source, upload);
    throw new Fault(415, "source_file_unreadable", `The file ${name} cannot be read. ${reason}`);
  }
  const loaded = (await sources.files(id)).find(({ path }) => path === name);
  if (loaded === undefined) throw invalidArgument("file", `The file ${name} was removed while it was uploaded.`);
  return loaded;
}

/** Loads a file. Returns null, or the reason why the file could not be read. */
async function loadFile(
  sources: UserRuntime["sources"],
  folder: string,
  file: { readonly name: string; readonly data: Uint8Array; readonly isNew: boolean },
): Promise<string | null> {
  try {
    const { failed } = await sources.load(folder, [file]);
    return failed[0]?.reason ?? null;
  } catch (error) {
    if (error instanceof RequestError && error.code === "source_file_unreadable") return error.message;
    throw error;
  }
}

/** Returns a free name: `notes.txt` becomes `notes_(1).txt`. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 1; ; number += 1) {
    const free = `${stem}_(${number})${extension}`;
    if (!taken.has(free)) return free;
  }
}
