// Routes of `/api` about sources: collections of files and passages that agents search.
import * as z from "zod";
import { Fault } from "../fault.ts";
import { route, type Route } from "../route.ts";
import { agentPath, given, listQuery, passageBody } from "./parameters.ts";
import {
  attachedFileShape,
  changedShape,
  closedFilesShape,
  loadedShape,
  sourceFileShape,
  sourceShape,
} from "./record-shapes.ts";
import { addedPassageShape, passageShape } from "./shapes.ts";
import { requireFound } from "./found.ts";

const filePath = agentPath.extend({ file: z.uuid() });
const sourcePath = z.strictObject({ source: z.string().describe("The name or the id of a source.") });

const details = z.strictObject({
  description: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

export const sourceRoutes = [
  route({
    method: "get",
    path: "/sources",
    summary: "List the sources",
    scope: "read",
    output: z.array(sourceShape),
    run: ({ runtime }) => runtime.sources.list(),
  }),
  route({
    method: "post",
    path: "/sources",
    summary: "Create an empty source",
    scope: "admin",
    body: details.extend({ name: z.string() }),
    status: 201,
    output: sourceShape,
    run: ({ runtime, body: { name, ...options } }) => runtime.sources.create(name, given(options)),
  }),
  route({
    method: "get",
    path: "/sources/:source",
    summary: "Get a source",
    scope: "read",
    params: sourcePath,
    output: sourceShape,
    run: ({ runtime, params }) => runtime.sources.show(params.source),
  }),
  route({
    method: "patch",
    path: "/sources/:source",
    summary: "Rename or describe a source; agents stay attached",
    scope: "admin",
    params: sourcePath,
    body: details.extend({ name: z.string().optional() }),
    output: sourceShape,
    run: ({ runtime, params, body }) => runtime.sources.update(params.source, given(body)),
  }),
  route({
    method: "delete",
    path: "/sources/:source",
    summary: "Delete a source with its passages, for every agent",
    scope: "admin",
    params: sourcePath,
    output: null,
    run: ({ runtime, params }) => runtime.sources.delete(params.source),
  }),
  route({
    method: "get",
    path: "/sources/:source/files",
    summary: "List the files of a source",
    scope: "read",
    params: sourcePath,
    output: z.array(sourceFileShape),
    run: ({ runtime, params }) => runtime.sources.files(params.source),
  }),
  route({
    method: "post",
    path: "/sources/:source/files",
    summary: "Load a file into a source",
    scope: "admin",
    params: sourcePath,
    isForm: true,
    body: z.strictObject({ file: z.file(), name: z.string().optional() }),
    status: 201,
    output: loadedShape,
    run: async ({ runtime, params, body: { file, name } }) => {
      const { id } = await runtime.sources.show(params.source);
      const loaded = await runtime.sources.load(id, [{ name: name ?? file.name, data: file }]);
      const [failed] = loaded.failed;
      if (failed === undefined) return loaded;
      throw new Fault(422, "source_file_unreadable", `The file ${failed.name} cannot be read: ${failed.reason}.`);
    },
  }),
  route({
    method: "delete",
    path: "/sources/:source/files",
    summary: "Remove a file, by its path, with its passages",
    scope: "admin",
    params: sourcePath,
    query: z.strictObject({ path: z.string() }),
    output: null,
    run: async ({ runtime, params, query }) => {
      if (await runtime.sources.removeFile(params.source, query.path)) return null;
      throw new Fault(404, "source_not_found", "The source has no file at that path.");
    },
  }),
  route({
    method: "get",
    path: "/sources/:source/passages",
    summary: "List the passages of a source",
    scope: "read",
    params: sourcePath,
    query: listQuery,
    output: z.array(passageShape),
    run: ({ runtime, params, query }) => runtime.sources.passages(params.source, given(query)),
  }),
  route({
    method: "post",
    path: "/sources/:source/passages",
    summary: "Add a passage that belongs to no file",
    scope: "admin",
    params: sourcePath,
    body: passageBody,
    status: 201,
    output: addedPassageShape,
    run: ({ runtime, params, body: { text, ...options } }) => runtime.sources.add(params.source, text, given(options)),
  }),
  route({
    method: "put",
    path: "/sources/:source/passages/:passage/tags",
    summary: "Replace the tags of a passage of a source",
    scope: "admin",
    params: sourcePath.extend({ passage: z.uuid() }),
    body: z.strictObject({ tags: z.array(z.string()) }),
    output: null,
    run: async ({ runtime, params, body }) => {
      const isFound = await runtime.sources.setPassageTags(params.source, params.passage, body.tags);
      return requireFound(isFound, "passage_not_found", "passage");
    },
  }),
  route({
    method: "delete",
    path: "/sources/:source/passages/:passage",
    summary: "Delete a passage of a source",
    scope: "admin",
    params: sourcePath.extend({ passage: z.uuid() }),
    output: null,
    run: async ({ runtime, params }) =>
      requireFound(await runtime.sources.deletePassage(params.source, params.passage), "passage_not_found", "passage"),
  }),
  route({
    method: "put",
    path: "/agents/:agent/sources/:source",
    summary: "Attach a source to an agent",
    scope: "admin",
    params: agentPath.extend(sourcePath.shape),
    body: z.strictObject({}),
    output: changedShape,
    run: async ({ runtime, params: { agent, source } }) => ({
      isChanged: await runtime.sources.attach(agent, source),
    }),
  }),
  route({
    method: "delete",
    path: "/agents/:agent/sources/:source",
    summary: "Detach a source from an agent",
    scope: "admin",
    params: agentPath.extend(sourcePath.shape),
    output: changedShape,
    run: async ({ runtime, params: { agent, source } }) => ({
      isChanged: await runtime.sources.detach(agent, source),
    }),
  }),
  route({
    method: "get",
    path: "/agents/:agent/files",
    summary: "List the files of an agent's sources, and which of them are open in its window",
    scope: "read",
    params: agentPath,
    output: z.array(attachedFileShape),
    run: ({ runtime, params }) => runtime.sources.attachedFiles(params.agent),
  }),
  route({
    method: "put",
    path: "/agents/:agent/files/:file/open",
    summary: "Open a file in an agent's window; at most five are open",
    scope: "chat",
    params: filePath,
    body: z.strictObject({ from: z.int().optional(), to: z.int().optional() }),
    output: closedFilesShape,
    run: ({ runtime, params: { agent, file }, body }) => runtime.sources.openFile(agent, file, given(body)),
  }),
  route({
    method: "delete",
    path: "/agents/:agent/files/:file/open",
    summary: "Close a file in an agent's window",
    scope: "chat",
    params: filePath,
    output: closedFilesShape,
    run: ({ runtime, params: { agent, file } }) => runtime.sources.closeFiles(agent, file),
  }),
] as const satisfies readonly Route[];
