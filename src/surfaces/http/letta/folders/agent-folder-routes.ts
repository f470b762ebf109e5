// Routes of `/v1` about the folders of an agent, and their files.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { attachedTo, setAttached } from "../archives/collections.ts";
import { embeddingConfigOf } from "../archives/shown-archive.ts";
import { agentPath, idOf } from "../ids.ts";
import { pageOf, pageQuery, queryFlag } from "../page-query.ts";
import { WireFault } from "../wire-fault.ts";
import { momentOf } from "../wire-values.ts";
import { folderShape, shownFolder } from "./shown-folder.ts";
import { unserved } from "../unserved.ts";

function routesOf(base: "folders" | "sources"): readonly Route[] {
  return [
    route({
      method: "get",
      path: `/agents/:agent/${base}`,
      summary: "List the folders of an agent",
      scope: "read",
      params: agentPath,
      query: pageQuery("source"),
      output: z.array(folderShape),
      run: async ({ runtime, params: { agent }, query }) => {
        const config = await embeddingConfigOf(runtime);
        return pageOf(await foldersOf(runtime, agent), query).map((source) => shownFolder(source, config));
      },
    }),
    ...attachRoutes({
      word: base,
      name: "folder",
      label: "a folder",
      change: (runtime, attachment) => setAttached(runtime, "folder", attachment),
    }),
  ];
}

/** Throws RequestError `agent_not_found`. */
async function foldersOf(runtime: UserRuntime, agent: string) {
  return attachedTo(runtime, "folder", (await runtime.agents.find(agent)).id);
}

type AttachedFile = Awaited<ReturnType<UserRuntime["sources"]["attachedFiles"]>>[number];

const filePath = agentPath.extend({ file: idOf("file") });

/** Returns the files of the agent. Throws WireFault with the status 404 unless it has this one. */
async function attachedFile(
  { sources }: Pick<UserRuntime, "sources">,
  agent: string,
  wanted: string,
): Promise<readonly AttachedFile[]> {
  const files = await sources.attachedFiles(agent);
  if (files.some(({ id }) => id === wanted)) return files;
  throw new WireFault(404, "source_not_found", { detail: `File with id=file-${wanted} not found for this agent.` });
}

function namesOf(files: readonly AttachedFile[], ids: readonly string[]): readonly string[] {
  return ids.flatMap((id) => files.filter((file) => file.id === id).map(({ name }) => name));
}

async function shownFiles(runtime: UserRuntime, agent: string) {
  const folders = new Map(
    (await foldersOf(runtime, agent)).map((folder) => [folder.id, shownFolder(folder, null).name]),
  );
  const [files, open] = await Promise.all([runtime.sources.attachedFiles(agent), runtime.sources.openFiles(agent)]);
  return files
    .filter(({ sourceId }) => folders.has(sourceId))
    .map((file) => {
      const text = open.find(({ id }) => id === file.id);
      return {
        id: `file_agent-${file.id}`,
        file_id: `file-${file.id}`,
        file_name: file.name,
        folder_id: `source-${file.sourceId}`,
        folder_name: folders.get(file.sourceId),
        is_open: file.open !== null,
        last_accessed_at: file.open === null ? null : momentOf(file.open.at),
        visible_content: text === undefined ? null : text.lines.join("\n"),
        start_line: text === undefined ? null : text.from,
        end_line: text === undefined ? null : text.from + text.lines.length - 1,
      };
    });
}

export const agentFolderRoutes: readonly Route[] = [
  ...routesOf("folders"),
  ...routesOf("sources"),
  route({
    method: "get",
    path: "/agents/:agent/files",
    summary: "List the files of an agent's folders",
    scope: "read",
    params: agentPath,
    query: z.object({
      cursor: z.string().optional(),
      limit: z.string().optional(),
      is_open: queryFlag.optional(),
      order: unserved,
      order_by: unserved,
      after: unserved,
      before: unserved,
    }),
    output: z.object({ files: z.array(z.looseObject({})), next_cursor: z.null(), has_more: z.literal(false) }),
    run: async ({ runtime, params: { agent }, query }) => {
      const files = await shownFiles(runtime, agent);
      const kept = files.filter((file) => query.is_open === undefined || file.is_open === query.is_open);
      return { files: kept, next_cursor: null, has_more: false };
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/files/:file/open",
    summary: "Open a file in an agent's window; returns the names of the files that were closed for it",
    scope: "chat",
    params: filePath,
    output: z.array(z.string()),
    run: async ({ runtime, params: { agent, file } }) => {
      const files = await attachedFile(runtime, agent, file);
      return namesOf(files, await runtime.sources.openFile(agent, file));
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/files/close-all",
    summary: "Close all files in an agent's window; returns their names",
    scope: "chat",
    params: agentPath,
    output: z.array(z.string()),
    run: async ({ runtime, params: { agent } }) => {
      const files = await runtime.sources.attachedFiles(agent);
      return namesOf(files, await runtime.sources.closeFiles(agent));
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/files/:file/close",
    summary: "Close a file in an agent's window",
    scope: "chat",
    params: filePath,
    output: z.null(),
    run: async ({ runtime, params: { agent, file } }) => {
      await attachedFile(runtime, agent, file);
      await runtime.sources.closeFiles(agent, file);
      return null;
    },
  }),
];
