// Routes of `/v1` about folders and their files. Older clients call folders sources: the same routes have that name too.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import {
  changeCollection,
  collectionAt,
  collectionsOf,
  createCollection,
  type Source,
} from "../archives/collections.ts";
import { pageOfSource, passagesQuery } from "../archives/passage-lists.ts";
import { embeddingConfigOf, passageShape, shownPassage } from "../archives/shown-archive.ts";
import { idOf } from "../ids.ts";
import { requireEmbedder } from "../models/shown-model.ts";
import { pageOf, pageQuery } from "../page-query.ts";
import { WireFault } from "../wire-fault.ts";
import { fileShape, folderShape, shownFile, shownFolder } from "./shown-folder.ts";
import { uploadFile, uploadForm, uploadQuery } from "./upload-file.ts";

const folderPath = z.object({ folder: idOf("source") });
const filePath = folderPath.extend({ file: idOf("file") });

const details = {
  description: z.string().nullable().optional(),
  instructions: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
  embedding: z.string().nullish(),
  embedding_config: z.looseObject({}).nullish(),
};

type Base = "/folders" | "/sources";

function collectionRoutes(base: Base): readonly Route[] {
  return [
    route({
      method: "get",
      path: base,
      summary: "List folders",
      scope: "read",
      query: pageQuery("source").extend({ name: z.string().optional() }),
      output: z.array(folderShape),
      run: async ({ runtime, query }) => {
        const shown = await shownFolders(runtime);
        const kept = shown.filter(({ folder }) => query.name === undefined || folder.name === query.name);
        return pageOf(kept, query).map(({ folder }) => folder);
      },
    }),
    route({
      method: "post",
      path: base,
      summary: "Create a folder",
      scope: "admin",
      body: z.object({ name: z.string().min(1), ...details }),
      output: folderShape,
      run: async ({ runtime, body: { embedding, ...body } }) => {
        if (typeof embedding === "string") await requireEmbedder(runtime, embedding);
        await requireNewName(runtime, body.name);
        return shownFolder(await createCollection(runtime, "folder", body), await embeddingConfigOf(runtime));
      },
    }),
    route({
      method: "get",
      path: `${base}/count`,
      summary: "Count the folders",
      scope: "read",
      output: z.int(),
      run: async ({ runtime }) => (await collectionsOf(runtime, "folder")).length,
    }),
    route({
      method: "get",
      path: `${base}/name/:name`,
      summary: "Get the id of the folder of a name",
      scope: "read",
      params: z.object({ name: z.string() }),
      output: z.string(),
      run: async ({ runtime, params: { name } }) => {
        const found = (await shownFolders(runtime)).find(({ folder }) => folder.name === name);
        if (found !== undefined) return found.folder.id;
        throw new WireFault(404, "source_not_found", { detail: `Source with name=${name} not found.` });
      },
    }),
  ];
}

function oneFolderRoutes(base: Base): readonly Route[] {
  return [
    route({
      method: "get",
      path: `${base}/:folder`,
      summary: "Get a folder",
      scope: "read",
      params: folderPath,
      output: folderShape,
      run: async ({ runtime, params: { folder } }) =>
        shownFolder(await collectionAt(runtime, "folder", folder), await embeddingConfigOf(runtime)),
    }),
    route({
      method: "patch",
      path: `${base}/:folder`,
      summary: "Change a folder",
      scope: "admin",
      params: folderPath,
      body: z.object({ name: z.string().min(1).optional(), ...details }),
      output: folderShape,
      run: async ({ runtime, params: { folder }, body }) => {
        const source = await collectionAt(runtime, "folder", folder);
        return shownFolder(await changeCollection(runtime, source, body), await embeddingConfigOf(runtime));
      },
    }),
    route({
      method: "delete",
      path: `${base}/:folder`,
      summary: "Delete a folder with its files",
      scope: "admin",
      params: folderPath,
      output: z.null(),
      run: async ({ runtime, params: { folder } }) => {
        await runtime.sources.delete((await collectionAt(runtime, "folder", folder)).id);
        return null;
      },
    }),
  ];
}

function contentRoutes(base: Base): readonly Route[] {
  return [
    route({
      method: "get",
      path: `${base}/:folder/agents`,
      summary: "List the ids of the agents that a folder is attached to",
      scope: "read",
      params: folderPath,
      query: pageQuery("agent"),
      output: z.array(z.string()),
      run: async ({ runtime, params: { folder }, query }) => {
        const { agentIds } = await collectionAt(runtime, "folder", folder);
        return pageOf(
          agentIds.map((id) => ({ id })),
          { ascending: true, ...query },
        ).map(({ id }) => `agent-${id}`);
      },
    }),
    route({
      method: "get",
      path: `${base}/:folder/passages`,
      summary: "List the passages of a folder's files",
      scope: "read",
      params: folderPath,
      query: passagesQuery,
      output: z.array(passageShape),
      run: async ({ runtime, params: { folder }, query }) => {
        await collectionAt(runtime, "folder", folder);
        const config = await embeddingConfigOf(runtime);
        return (await pageOfSource(runtime, folder, query)).map((passage) => ({
          ...shownPassage(passage, null, config),
          source_id: `source-${folder}`,
        }));
      },
    }),
  ];
}

function fileRoutes(base: Base): readonly Route[] {
  return [
    route({
      method: "post",
      path: `${base}/:folder/upload`,
      summary: "Upload a file into a folder",
      scope: "admin",
      params: folderPath,
      query: uploadQuery,
      isForm: true,
      body: uploadForm,
      output: fileShape,
      run: async ({ runtime, params: { folder }, query, body }) => {
        const source = await collectionAt(runtime, "folder", folder);
        const file = await uploadFile(runtime, source, {
          file: body.file,
          name: query.name ?? body.name ?? body.file.name,
          handling: query.duplicate_handling ?? body.duplicate_handling,
        });
        // Only this answer has the folder's name before that of the file.
        const { name } = shownFolder(source, null);
        return { ...shownFile(source, file), file_name: `${name}/${file.path}` };
      },
    }),
    route({
      method: "get",
      path: `${base}/:folder/files`,
      summary: "List the files of a folder",
      scope: "read",
      params: folderPath,
      query: pageQuery("file").extend({ include_content: z.string().optional() }),
      output: z.array(fileShape),
      run: async ({ runtime, params: { folder }, query }) => {
        const source = await collectionAt(runtime, "folder", folder);
        const files = (await runtime.sources.files(folder)).toSorted((one, other) => (one.id < other.id ? -1 : 1));
        return pageOf(files, query).map((file) => shownFile(source, file));
      },
    }),
  ];
}

function oneFileRoutes(base: Base): readonly Route[] {
  return [
    route({
      method: "get",
      path: `${base}/:folder/files/:file`,
      summary: "Get a file of a folder",
      scope: "read",
      params: filePath,
      query: z.object({ include_content: z.string().optional() }),
      output: fileShape,
      run: async ({ runtime, params }) => {
        const source = await collectionAt(runtime, "folder", params.folder);
        return shownFile(source, await fileAt(runtime, source, params.file));
      },
    }),
    route({
      method: "delete",
      path: `${base}/:folder/:file`,
      summary: "Delete a file of a folder",
      scope: "admin",
      params: filePath,
      output: null,
      run: async ({ runtime, params }) => {
        const source = await collectionAt(runtime, "folder", params.folder);
        await runtime.sources.removeFile(source.id, (await fileAt(runtime, source, params.file)).path);
      },
    }),
  ];
}

/** With their UUIDs, oldest first. */
async function shownFolders(runtime: UserRuntime) {
  const config = await embeddingConfigOf(runtime);
  return (await collectionsOf(runtime, "folder")).map((source) => ({
    id: source.id,
    folder: shownFolder(source, config),
  }));
}

/** Unlike names of archives, those of folders are unique. Throws WireFault with the status 409. */
async function requireNewName(runtime: UserRuntime, name: string): Promise<void> {
  if ((await shownFolders(runtime)).every(({ folder }) => folder.name !== name)) return;
  throw new WireFault(409, "source_exists", { detail: `Source with name '${name}' already exists.` });
}

async function fileAt({ sources }: UserRuntime, { id }: Source, wanted: string) {
  const found = (await sources.files(id)).find((file) => file.id === wanted);
  if (found !== undefined) return found;
  throw new WireFault(404, "source_not_found", { detail: `File with id=file-${wanted} not found.` });
}

const bases: readonly Base[] = ["/folders", "/sources"];

export const folderRoutes: readonly Route[] = bases.flatMap((base) => [
  ...collectionRoutes(base),
  ...oneFolderRoutes(base),
  ...contentRoutes(base),
  ...fileRoutes(base),
  ...oneFileRoutes(base),
]);
