// Converts tools to the form of Letta's API: stored tools, built-in tools, and Letta's tools that are absent here.
// Invariant: a tool without a row in the database has an id derived from its name, so that the id is the same in every
// process. A tool with source code is a Python tool; a tool with only a schema is run by the client.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { uuidOfText } from "../../../../base/ids.ts";
import { shownUserId } from "../ids.ts";
import type { BuiltInTool, StoredTool } from "../runtime-records.ts";
import { invalidArgument } from "../wire-fault.ts";
import { each, fixed, flag, given, json, nullableText, nulls, recordOf, text, texts, whole } from "../wire-record.ts";

/** A tool without a row: a built-in tool, or one of Letta's tools that are absent here. */
type NamedTool = Pick<BuiltInTool, "name" | "description" | "parameters">;

export const absentTools: readonly NamedTool[] = ["web_search", "fetch_webpage", "run_code"].map((name) => ({
  name,
  description: `${name} is not offered by this server: the model does not see it.`,
  parameters: { type: "object", properties: {}, required: [] },
}));

/** Letta's default limit of a tool's result, in characters. */
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
  send_message_to_agent_and_wait_for_reply: "letta_multi_agent_core",
  send_message_to_agent_async: "letta_multi_agent_core",
  send_message_to_agents_matching_tags: "letta_multi_agent_core",
};

/** The tools that `include_multi_agent_tools` adds to a new agent. */
export const multiAgentTools = Object.keys(toolTypes).filter((name) => toolTypes[name] === "letta_multi_agent_core");

/** Fields that Letta's clients set and the runtime does not have. Stored in the tool's metadata, under `letta`. */
const toolExtension = z.object({
  metadata_: json.optional(),
  pip_requirements: z.array(json).optional(),
  args_json_schema: json.optional(),
  enable_parallel_execution: flag.optional(),
});

function toolExtensionOf({ metadata }: Pick<StoredTool, "metadata">): z.output<typeof toolExtension> {
  return toolExtension.safeParse(metadata["letta"] ?? {}).data ?? {};
}

interface ToolParts extends NamedTool {
  readonly id: string;
  readonly type: string;
  readonly extension: z.output<typeof toolExtension>;
  /** The row of the tool; null for a tool without a row. */
  readonly stored: StoredTool | null;
}

export const toolRecord = recordOf<ToolParts>()({
  ...nulls("npm_requirements", "project_id"),
  created_by_id: fixed(shownUserId),
  last_updated_by_id: fixed(shownUserId),
  id: [text, ({ id }) => `tool-${id}`],
  name: [text, "name"],
  tool_type: [text, "type"],
  description: [text, "description"],
  source_type: [nullableText, ({ stored }) => (stored !== null && stored.source === null ? "json" : "python")],
  source_code: [nullableText, ({ stored }) => stored?.source ?? null],
  json_schema: [json, ({ name, description, parameters }) => ({ name, description, parameters })],
  args_json_schema: [json.nullable(), ({ extension }) => extension.args_json_schema ?? null],
  tags: [texts, ({ stored, type }) => stored?.tags ?? [type]],
  return_char_limit: [whole, ({ stored }) => stored?.resultLimit ?? defaultResultLimit],
  pip_requirements: [z.array(json).nullable(), ({ extension }) => extension.pip_requirements ?? null],
  default_requires_approval: [flag.nullable(), ({ stored }) => (stored?.requiresApproval === true ? true : null)],
  enable_parallel_execution: [flag, ({ extension }) => extension.enable_parallel_execution ?? false],
  metadata_: [
    json,
    ({ extension, stored }) => {
      const served = stored?.served ?? null;
      return {
        ...extension.metadata_,
        ...(served === null ? {} : { mcp: { server_id: `mcp_server-${served.serverId}` } }),
      };
    },
  ],
});

export type ShownTool = ReturnType<typeof toolRecord.show>;

export function shownStoredTool(tool: StoredTool): ShownTool {
  const { id, name, description, parameters, served } = tool;
  const type = served === null ? "custom" : "external_mcp";
  return toolRecord.show({ id, name, description, parameters, type, extension: toolExtensionOf(tool), stored: tool });
}

/** Returns a built-in or an absent tool in Letta's form. */
export function shownNamedTool({ name, description, parameters }: NamedTool): ShownTool {
  const type = toolTypes[name] ?? "letta_builtin";
  return toolRecord.show({ id: uuidOfName(name), name, description, parameters, type, extension: {}, stored: null });
}

/** Returns the UUID of a tool without a row, which is derived from its name. */
export function uuidOfName(name: string): string {
  return uuidOfText(`tool ${name}`, 4);
}

type StoredToolChange = Parameters<UserRuntime["tools"]["update"]>[1];

const fields = {
  ...each(json.nullish(), "metadata_", "args_json_schema"),
  pip_requirements: z.array(json).nullish(),
  ...each(text.nullish(), "source_code", "source_type", "description"),
  json_schema: z.looseObject({ ...each(text.nullish(), "name", "description"), parameters: json.nullish() }).nullish(),
  tags: z.array(text).nullish(),
  return_char_limit: z.int().min(1).max(1_000_000).nullish(),
  ...each(flag.nullish(), "default_requires_approval", "enable_parallel_execution"),
};

export const newToolRequest = z
  .object(fields)
  .refine(({ source_code: source, json_schema: schema }) => (source ?? schema ?? null) !== null, {
    path: ["source_code"],
    message: "Expected source code, or the JSON schema of a tool that the client runs.",
  });
export const toolChangeRequest = z.object({ ...fields, name: text.nullish() });

type ToolRequest = z.output<typeof toolChangeRequest>;

export function newToolOf(request: z.output<typeof newToolRequest>): Parameters<UserRuntime["tools"]["create"]>[0] {
  const { name } = request.json_schema ?? {};
  const isNamed = (request.source_code ?? null) === null;
  return { ...optionsOf(request, null), ...(isNamed ? given({ name }) : {}) };
}

export function toolChangeOf(request: ToolRequest, tool: StoredTool): StoredToolChange {
  return { ...optionsOf(request, tool), ...given({ name: request.name }) };
}

/** Returns the fields to store for a tool. Throws Fault for source code in a language that is not run here. */
function optionsOf(request: ToolRequest, tool: StoredTool | null): StoredToolChange {
  const { source_code: source, source_type: language, json_schema: schema } = request;
  if (source && !["python", "json"].includes(language ?? "python"))
    throw invalidArgument("source_type", `This server does not run tools in ${language}, only in Python.`);
  const { metadata_, pip_requirements, args_json_schema, enable_parallel_execution } = request;
  const sent = given({ metadata_, pip_requirements, args_json_schema, enable_parallel_execution });
  const extension = tool === null ? sent : { ...toolExtensionOf(tool), ...sent };
  return {
    ...given({
      source,
      description: request.description ?? schema?.description,
      parameters: schema?.parameters,
      tags: request.tags,
      resultLimit: request.return_char_limit,
      requiresApproval: request.default_requires_approval,
    }),
    ...(Object.keys(sent).length === 0 ? {} : { metadata: { ...tool?.metadata, letta: extension } }),
  };
}
