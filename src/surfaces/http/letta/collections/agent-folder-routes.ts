// Defines the routes of `/v1` for the folders of an agent, and their files.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { on } from "../letta-routes.ts";
import { pageOf, pageQuery, queryFlag } from "../pages.ts";
import { unserved, WireFault } from "../wire-fault.ts";
import { each, flag, momentOf, nullableText, recordOf, text, texts, whole } from "../wire-record.ts";
import { attachedTo, folderRecord, nameOf, setAttached, shownFolders } from "./collections.ts";

type AttachedFile = Awaited<ReturnType<UserRuntime["sources"]["attachedFiles"]>>[number];
type OpenFile = Awaited<ReturnType<UserRuntime["sources"]["openFiles"]>>[number];

interface FileOfAgent {
  readonly file: AttachedFile;
  readonly folder: string;
  /** The part of the file that the window shows; null if the file is closed. */
  readonly shown: OpenFile | null;
}

const agentFileRecord = recordOf<FileOfAgent>()({
  id: [text, ({ file }) => `file_agent-${file.id}`],
  file_id: [text, ({ file }) => `file-${file.id}`],
  file_name: [text, ({ file }) => file.name],
  folder_id: [text, ({ file }) => `source-${file.sourceId}`],
  folder_name: [text, "folder"],
  is_open: [flag, ({ file }) => file.open !== null],
  last_accessed_at: [nullableText, ({ file }) => (file.open === null ? null : momentOf(file.open.at))],
  visible_content: [nullableText, ({ shown }) => shown?.lines.join("\n") ?? null],
  start_line: [whole.nullable(), ({ shown }) => shown?.from ?? null],
  end_line: [whole.nullable(), ({ shown }) => (shown === null ? null : shown.from + shown.lines.length - 1)],
});

function routesOf(base: "folders" | "sources"): readonly Route[] {
  return [
    on(`get /agents/:agent/${base}`, "read", "List the folders of an agent", {
      query: pageQuery("source"),
      output: z.array(folderRecord.shape),
      run: async ({ runtime, params, query }) =>
        shownFolders(runtime, pageOf(await foldersOf(runtime, params.agent), query)),
    }),
    ...attachRoutes({
      word: base,
      name: "folder",
      label: "a folder",
      change: (runtime, attachment) => setAttached(runtime, "folder", attachment),
    }),
  ];
}

/** Returns the folders of an agent. Throws RequestError `agent_not_found`. */
async function foldersOf(runtime: UserRuntime, agent: string) {
  return attachedTo(runtime, "folder", (await runtime.agents.find(agent)).id);
}

/** Returns the files of an agent. Throws WireFault with the status 404 if the wanted file is not among them. */
async function filesWith(
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
  const folders = new Map((await foldersOf(runtime, agent)).map((folder) => [folder.id, nameOf(folder)]));
  const [files, open] = await Promise.all([runtime.sources.attachedFiles(agent), runtime.sources.openFiles(agent)]);
  return files.flatMap((file) => {
    const folder = folders.get(file.sourceId);
    const shown = open.find(({ id }) => id === file.id) ?? null;
    return folder === undefined ? [] : [agentFileRecord.show({ file, folder, shown })];
  });
}

export const agentFolderRoutes: readonly Route[] = [
  ...routesOf("folders"),
  ...routesOf("sources"),
  on("get /agents/:agent/files", "read", "List the files of an agent's folders", {
    query: z.object({
      ...each(text.optional(), "cursor", "limit"),
      is_open: queryFlag.optional(),
      ...each(unserved, "order", "order_by", "after", "before"),
    }),
    output: z.object({ files: z.array(agentFileRecord.shape), next_cursor: z.null(), has_more: z.literal(false) }),
    run: async ({ runtime, params: { agent }, query: { is_open: isOpen } }) => {
      const files = (await shownFiles(runtime, agent)).filter(
        (file) => isOpen === undefined || file.is_open === isOpen,
      );
      return { files, next_cursor: null, has_more: false };
    },
  }),
  on(
    "patch /agents/:agent/files/:file/open",
    "chat",
    "Open a file in an agent's window; returns the names of the files that were closed to make room",
    {
      output: texts,
      run: async ({ runtime, params: { agent, file } }) => {
        const files = await filesWith(runtime, agent, file);
        return namesOf(files, await runtime.sources.openFile(agent, file));
      },
    },
  ),
  on("patch /agents/:agent/files/close-all", "chat", "Close all files in an agent's window; returns their names", {
    output: texts,
    run: async ({ runtime, params: { agent } }) => {
      const files = await runtime.sources.attachedFiles(agent);
      return namesOf(files, await runtime.sources.closeFiles(agent));
    },
  }),
  on("patch /agents/:agent/files/:file/close", "chat", "Close a file in an agent's window", {
    output: z.null(),
    run: async ({ runtime, params: { agent, file } }) => {
      await filesWith(runtime, agent, file);
      await runtime.sources.closeFiles(agent, file);
      return null;
    },
  }),
];
