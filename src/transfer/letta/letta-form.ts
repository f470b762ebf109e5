// Declares the schemas of the data that an import reads: the records in Letta's database and in agent files of 0.16, and agent
// files in two forms. A file in the older form, which has a single agent, is converted to the newer form.
// Invariant: unknown keys are ignored, and null is treated as absent, because versions of Letta differ in both. A value
// that has neither form is refused; the error names the place of the fault.
import * as z from "zod";
import { acceptedTimes, isAcceptedTime } from "../../base/calendar.ts";
import { each } from "../../base/same-fields.ts";
import { importedAs, importInvalid } from "../import-fault.ts";

const json = z.record(z.string(), z.unknown());
const text = z.string();

/** A time with or without a zone; without one it is UTC. */
export const lettaMoment = z.string().transform((value, context) => {
  const withZone = /(?:z|[+-]\d{2}:?\d{2})$/iu.test(value) ? value : `${value}Z`;
  const time = new Date(withZone);
  if (isAcceptedTime(time)) return time.toISOString();
  context.addIssue({ code: "custom", message: `expected ${acceptedTimes} in ISO 8601` });
  return z.NEVER;
});

const contentPart = z.looseObject({ type: text });
const content = z.union([text, z.array(contentPart)]).nullish();

const toolCall = z.looseObject({ id: text, function: z.looseObject({ name: text, arguments: text }) });

const toolReturn = z.looseObject({
  ...each(text.nullish(), "type", "tool_call_id", "status"),
  ...each(z.unknown().optional(), "func_response", "tool_return"),
  ...each(z.array(text).nullish(), "stdout", "stderr"),
});

export const lettaMessage = z.looseObject({
  role: text,
  content,
  // Older rows have a `text` and no content.
  ...each(text.nullish(), "id", "text", "name", "tool_call_id"),
  tool_calls: z.array(toolCall).nullish(),
  tool_returns: z.array(toolReturn).nullish(),
  approvals: z.array(z.looseObject({ type: text.nullish() })).nullish(),
  created_at: lettaMoment.nullish(),
});
export type LettaMessage = z.infer<typeof lettaMessage>;

export const lettaBlock = z.looseObject({
  ...each(text, "label", "value"),
  ...each(text.nullish(), "id", "description"),
  limit: z.number().nullish(),
  read_only: z.boolean().nullish(),
  ...each(json.nullish(), "metadata", "metadata_"),
  tags: z.array(text).nullish(),
});
export type LettaBlock = z.infer<typeof lettaBlock>;

export const lettaTool = z.looseObject({
  name: text,
  ...each(text.nullish(), "id", "description", "tool_type", "source_type", "source_code"),
  json_schema: json.nullish(),
  return_char_limit: z.number().nullish(),
  default_requires_approval: z.boolean().nullish(),
  tags: z.array(text).nullish(),
  pip_requirements: z.array(z.unknown()).nullish(),
});
export type LettaTool = z.infer<typeof lettaTool>;

const lettaToolRule = z.looseObject({
  ...each(text, "type", "tool_name"),
  children: z.array(text).nullish(),
  child_output_mapping: z.record(z.string(), text).nullish(),
  default_child: text.nullish(),
  max_count_limit: z.number().nullish(),
});
export type LettaToolRule = z.infer<typeof lettaToolRule>;

const llmConfig = z.looseObject({
  ...each(text.nullish(), "handle", "model", "model_endpoint_type"),
  ...each(z.number().nullish(), "context_window", "max_tokens"),
});

export const embeddingConfig = z.looseObject({
  ...each(text.nullish(), "handle", "embedding_model", "embedding_endpoint_type"),
  embedding_dim: z.number().nullish(),
});

/** Environment variables of tools: an object, or a list of records with a name. */
const lettaSecrets = z.union([z.record(text, z.unknown()), z.array(z.looseObject({ key: text.nullish() }))]).nullish();

/** The fields that an agent has both in an agent file and in the database. */
export const lettaAgent = z.looseObject({
  name: text,
  ...each(text.nullish(), "id", "system", "agent_type", "description", "model", "timezone"),
  ...each(json.nullish(), "metadata", "metadata_", "response_format", "compaction_settings"),
  ...each(lettaSecrets, "secrets", "tool_exec_environment_variables"),
  tags: z.array(text).nullish(),
  llm_config: llmConfig.nullish(),
  embedding_config: embeddingConfig.nullish(),
  tool_rules: z.array(lettaToolRule).nullish(),
  created_at: lettaMoment.nullish(),
});
export type LettaAgent = z.infer<typeof lettaAgent>;

const lettaFile = z.looseObject(
  each(text.nullish(), "id", "source_id", "file_name", "original_file_name", "file_type", "content"),
);

const ids = z.array(z.string()).nullish();

const fileAgent = lettaAgent.extend({
  id: z.string(),
  ...each(ids, "block_ids", "tool_ids", "source_ids", "folder_ids", "in_context_message_ids", "group_ids"),
  messages: z.array(lettaMessage).nullish(),
});

const withId = { id: z.string() };

const agentFile = z.looseObject({
  agents: z.array(fileAgent).min(1),
  blocks: z.array(lettaBlock.extend(withId)).nullish(),
  tools: z.array(lettaTool.extend(withId)).nullish(),
  sources: z.array(z.looseObject({ ...withId, name: text, description: text.nullish() })).nullish(),
  files: z.array(lettaFile).nullish(),
  ...each(z.array(z.unknown()).nullish(), "groups", "mcp_servers", "skills"),
  palimpsest: z.unknown().optional(),
});

export type LettaFile = z.infer<typeof agentFile>;
export type LettaFileAgent = z.infer<typeof fileAgent>;

const olderFile = lettaAgent.extend({
  core_memory: z.array(lettaBlock),
  messages: z.array(lettaMessage),
  in_context_message_indices: z.array(z.number().int().min(0)).nullish(),
  message_ids: ids,
  tools: z.array(lettaTool).nullish(),
  tags: z.array(z.union([z.string(), z.looseObject({ tag: z.string() }).transform(({ tag }) => tag)])).nullish(),
});

/** Returns the content of an agent file in the newer form. Throws RequestError `import_invalid`. */
export function parseLettaFile(value: unknown): LettaFile {
  const keys = typeof value === "object" && value !== null ? value : {};
  if ("agents" in keys) return importedAs(agentFile, value);
  if ("core_memory" in keys) return newerFile(importedAs(olderFile, value));
  throw importInvalid('expected an agent file, a JSON object with "agents", or with "core_memory" in the older form');
}

function newerFile(older: z.infer<typeof olderFile>): LettaFile {
  const { core_memory: blocks, tools, messages, in_context_message_indices: window, tags, ...agent } = older;
  const numbered = messages.map((message, index) => ({ ...message, id: `message-${index}` }));
  const named = (prefix: string) => (item: object, index: number) => ({ ...item, id: `${prefix}-${index}` });
  return agentFile.parse({
    agents: [
      {
        ...agent,
        id: "agent-0",
        tags: tags ?? [],
        messages: numbered,
        in_context_message_ids: window?.flatMap((index) => numbered[index]?.id ?? []) ?? null,
        block_ids: blocks.map((_, index) => `block-${index}`),
        tool_ids: (tools ?? []).map((_, index) => `tool-${index}`),
      },
    ],
    blocks: blocks.map(named("block")),
    tools: (tools ?? []).map(named("tool")),
  });
}
