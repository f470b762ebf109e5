// Tools in the shape of Letta's API: stored tools, built-in ones, and those that clients name and this server lacks.
// Invariant: a tool without a row has an id that is made from its name, so that it is the same in every process.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { shownUserId } from "../ids.ts";

type Tools = UserRuntime["tools"];
export type StoredTool = Awaited<ReturnType<Tools["find"]>>;
export type BuiltInTool = Awaited<ReturnType<Tools["builtIn"]>>[number];

export const toolShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  tool_type: z.string(),
  description: z.string(),
  source_type: z.string().nullable(),
  source_code: z.string().nullable(),
  json_schema: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  return_char_limit: z.int(),
  default_requires_approval: z.boolean().nullable(),
});

/** A tool of Letta's own servers that programs name, and that needs a service this server does not use. */
export interface AbsentTool {
  readonly name: string;
  readonly description: string;
}

export const absentTools: readonly AbsentTool[] = ["web_search", "fetch_webpage", "run_code"].map((name) => {
  return { name, description: `${name} is not offered by this server: the model does not see it.` };
});

/** Letta's default, in characters. */
const defaultResultLimit = 50_000;

const toolTypes: Readonly<Record<string, string>> = {
  send_message: "letta_core",
  conversation_search: "letta_core",
  archival_memory_insert: "letta_core",
  archival_memory_search: "letta_core",
  core_memory_append: "letta_memory_core",
  core_memory_replace: "letta_memory_core",
  memory_insert: "letta_sleeptime_core",
  memory_replace: "letta_sleeptime_core",
  memory_rethink: "letta_sleeptime_core",
  open_files: "letta_files_core",
  grep_files: "letta_files_core",
  semantic_search_files: "letta_files_core",
};

const commonFields = {
  npm_requirements: null,
  created_by_id: shownUserId,
  last_updated_by_id: shownUserId,
  project_id: null,
};

/** What Letta's clients set on a tool and the runtime has no place for, in its metadata under `letta`. */
export const toolNotes = z.object({
  metadata_: z.record(z.string(), z.unknown()).optional(),
  pip_requirements: z.array(z.record(z.string(), z.unknown())).optional(),
  args_json_schema: z.record(z.string(), z.unknown()).optional(),
  enable_parallel_execution: z.boolean().optional(),
});

export type ToolNotes = z.output<typeof toolNotes>;

export function toolNotesOf({ metadata }: Pick<StoredTool, "metadata">): ToolNotes {
  const result = toolNotes.safeParse(metadata["letta"] ?? {});
  return result.success ? result.data : {};
}

export function shownStoredTool(tool: StoredTool) {
  const { id, name, description, parameters, source, served, resultLimit, requiresApproval, tags } = tool;
  const notes = toolNotesOf(tool);
  return {
    ...commonFields,
    id: `tool-${id}`,
    name,
    tool_type: served === null ? "custom" : "external_mcp",
    description,
    source_type: source === null ? "json" : "python",
    source_code: source,
    json_schema: { name, description, parameters },
    args_json_schema: notes.args_json_schema ?? null,
    tags,
    return_char_limit: resultLimit ?? defaultResultLimit,
    pip_requirements: notes.pip_requirements ?? null,
    default_requires_approval: requiresApproval ? true : null,
    enable_parallel_execution: notes.enable_parallel_execution ?? false,
    metadata_: {
      ...notes.metadata_,
      ...(served === null ? {} : { mcp: { server_id: `mcp_server-${served.serverId}` } }),
    },
  };
}

export function shownBuiltInTool({
  name,
  description,
  parameters,
}: Pick<BuiltInTool, "name" | "description" | "parameters">) {
  const type = toolTypes[name] ?? "letta_builtin";
  return {
    ...commonFields,
    id: `tool-${builtInId(name)}`,
    name,
    tool_type: type,
    description,
    source_type: "python",
    source_code: null,
    json_schema: { name, description, parameters },
    args_json_schema: null,
    tags: [type],
    return_char_limit: defaultResultLimit,
    pip_requirements: null,
    default_requires_approval: null,
    enable_parallel_execution: false,
    metadata_: {},
  };
}

export function shownAbsentTool(tool: AbsentTool) {
  return shownBuiltInTool({ ...tool, parameters: { type: "object", properties: {}, required: [] } });
}

/** Returns a UUID that is always the same for a name. */
export function builtInId(name: string): string {
  const hex = createHash("sha256").update(`tool ${name}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
