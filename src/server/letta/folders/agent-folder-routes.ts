// Routes of `/v1` about the folders of an agent, and their files.
import * as z from "zod";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { attachedTo, collectionAt } from "../archives/collections.ts";
import { embeddingConfigOf } from "../archives/shown-archive.ts";
import { agentPath, idOf } from "../ids.ts";
import { pageOf, pageQuery } from "../page-query.ts";
import { afterChange } from "../tools/agent-tool-routes.ts";
import { folderShape, shownFolder } from "./shown-folder.ts";

const attachPath = agentPath.extend({ folder: idOf("source") });

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
    route({
      method: "patch",
      path: `/agents/:agent/${base}/attach/:folder`,
      summary: "Attach a folder to an agent",
      scope: "admin",
      params: attachPath,
      output: z.unknown(),
      run: async ({ runtime, params: { agent, folder }, headers }) => {
        await runtime.agents.find(agent);
        await collectionAt(runtime, "folder", folder);
        await runtime.sources.attach(agent, folder);
        return afterChange(runtime, agent, headers);
      },
    }),
    route({
      method: "patch",
      path: `/agents/:agent/${base}/detach/:folder`,
      summary: "Detach a folder from an agent",
      scope: "admin",
      params: attachPath,
      output: z.unknown(),
      run: async ({ runtime, params: { agent, folder }, headers }) => {
        await runtime.agents.find(agent);
        await collectionAt(runtime, "folder", folder);
        await runtime.sources.detach(agent, folder);
        return afterChange(runtime, agent, headers);
      },
    }),
  ];
}

/** Throws RequestError `agent_not_found`. */
async function foldersOf(runtime: UserRuntime, agent: string) {
  return attachedTo(runtime, "folder", (await runtime.agents.find(agent)).id);
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
    query: z.object({ cursor: z.string().optional(), limit: z.string().optional(), is_open: z.string().optional() }),
    output: z.object({ files: z.array(z.looseObject({})), next_cursor: z.null(), has_more: z.literal(false) }),
    run: async ({ runtime, params: { agent } }) => {
      const folders = await foldersOf(runtime, agent);
      const files = await Promise.all(
        folders.map(async (folder) =>
          (await runtime.sources.files(folder.id)).map((file) => ({
            id: `file_agent-${file.id}`,
            file_id: `file-${file.id}`,
            file_name: file.path,
            folder_id: `source-${folder.id}`,
            folder_name: shownFolder(folder, null).name,
            is_open: false,
            last_accessed_at: null,
            visible_content: null,
            start_line: null,
            end_line: null,
          })),
        ),
      );
      return { files: files.flat(), next_cursor: null, has_more: false };
    },
  }),
];
