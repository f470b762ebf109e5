// The requests that create and change tools.
// Invariant: a tool with source code is a Python tool, one with a schema alone is run by the client.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { given } from "../wire-values.ts";
import { invalidArgument } from "../wire-fault.ts";
import { type StoredTool, toolNotes, toolNotesOf } from "./shown-tool.ts";

type NewStoredTool = Parameters<UserRuntime["tools"]["create"]>[0];
type StoredToolChange = Parameters<UserRuntime["tools"]["update"]>[1];

const nullishNotes = {
  metadata_: toolNotes.shape.metadata_.nullish(),
  pip_requirements: toolNotes.shape.pip_requirements.nullish(),
  args_json_schema: toolNotes.shape.args_json_schema.nullish(),
  enable_parallel_execution: z.boolean().nullish(),
};

const jsonSchema = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

const fields = {
  ...nullishNotes,
  source_code: z.string().nullish(),
  source_type: z.string().nullish(),
  json_schema: jsonSchema.nullish(),
  description: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  return_char_limit: z.int().min(1).max(1_000_000).nullish(),
  default_requires_approval: z.boolean().nullish(),
};

export const newToolRequest = z
  .object(fields)
  .refine(({ source_code: source, json_schema: schema }) => (source ?? schema ?? null) !== null, {
    path: ["source_code"],
    message: "Expected source code, or the JSON schema of a tool that the client runs.",
  });
export const toolChangeRequest = z.object({ ...fields, name: z.string().nullish() });

type ToolRequest = z.output<typeof toolChangeRequest>;

export function newToolOf(request: z.output<typeof newToolRequest>): NewStoredTool {
  const { name } = request.json_schema ?? {};
  const isNamed = (request.source_code ?? null) === null;
  return { ...optionsOf(request, null), ...(isNamed ? given({ name }) : {}) };
}

export function toolChangeOf(request: ToolRequest, tool: StoredTool): StoredToolChange {
  return { ...optionsOf(request, tool), ...given({ name: request.name }) };
}

/** Throws Fault for source code in another language. */
function optionsOf(request: ToolRequest, tool: StoredTool | null): StoredToolChange {
  const { source_code: source, source_type: language, json_schema: schema } = request;
  if (source && !["python", "json"].includes(language ?? "python"))
    throw invalidArgument("source_type", `Tools in ${language} are not run on this server: only Python is.`);
  const noted = noteFields(request);
  const notes = tool === null ? noted : { ...toolNotesOf(tool), ...noted };
  return {
    ...given({
      source,
      description: request.description ?? schema?.description,
      parameters: schema?.parameters,
      tags: request.tags,
      resultLimit: request.return_char_limit,
      requiresApproval: request.default_requires_approval,
    }),
    ...(Object.keys(noted).length === 0 ? {} : { metadata: { ...tool?.metadata, letta: notes } }),
  };
}

function noteFields(request: ToolRequest) {
  const { metadata_, pip_requirements, args_json_schema, enable_parallel_execution } = request;
  return given({ metadata_, pip_requirements, args_json_schema, enable_parallel_execution });
}
