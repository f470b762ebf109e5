// The schemas of what an import reads: Letta's records, in agent files of 0.16 and in Letta's database; and agent
// files, also in the older form of a single agent, which is converted to the newer form.
// Invariant: unknown keys are ignored, and null is treated as absent, because versions of Letta differ in both. A value
// that is neither form of a file is refused with the place of the fault.
import * as z from "zod";
import { acceptedTimes, isAcceptedTime } from "../../base/calendar.ts";
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

const toolCall = z.looseObject({
  id: text,
  function: z.looseObject({ name: text, arguments: text }),
});

const toolReturn = z.looseObject({
  type: text.nullish(),
  tool_call_id: text.nullish(),
  status: text.nullish(),
  func_response: z.unknown().optional(),
  tool_return: z.unknown().optional(),
  stdout: z.array(text).nullish(),
  stderr: z.array(text).nullish(),
});

export const lettaMessage = z.looseObject({
  id: text.nullish(),
  role: text,
  content,
  /** The text of older rows, which have no content. */
  text: text.nullish(),
  name: text.nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: text.nullish(),
  tool_returns: z.array(toolReturn).nullish(),
  approvals: z.array(z.looseObject({ type: text.nullish() })).nullish(),
  created_at: lettaMoment.nullish(),
});
export type LettaMessage = z.infer<typeof lettaMessage>;

export const lettaBlock = z.looseObject({
  id: text.nullish(),
  label: text,
  value: text,
  limit: z.number().nullish(),
  description: text.nullish(),
  read_only: z.boolean().nullish(),
  metadata: json.nullish(),
  metadata_: json.nullish(),
  tags: z.array(text).nullish(),
});
export type LettaBlock = z.infer<typeof lettaBlock>;

export const lettaTool = z.looseObject({
  id: text.nullish(),
  name: text,
  description: text.nullish(),
  tool_type: text.nullish(),
  source_type: text.nullish(),
  source_code: text.nullish(),
  json_schema: json.nullish(),
  return_char_limit: z.number().nullish(),
  default_requires_approval: z.boolean().nullish(),
  tags: z.array(text).nullish(),
  pip_requirements: z.array(z.unknown()).nullish(),
});
export type LettaTool = z.infer<typeof lettaTool>;

const lettaToolRule = z.looseObject({
  type: text,
  tool_name: text,
  children: z.array(text).nullish(),
  child_output_mapping: z.record(z.string(), text).nullish(),
  default_child: text.nullish(),
  max_count_limit: z.number().nullish(),
});
export type LettaToolRule = z.infer<typeof lettaToolRule>;

const llmConfig = z.looseObject({
  handle: text.nullish(),
  model: text.nullish(),
  model_endpoint_type: text.nullish(),
  context_window: z.number().nullish(),
  max_tokens: z.number().nullish(),
});

export const embeddingConfig = z.looseObject({
  handle: text.nullish(),
  embedding_model: text.nullish(),
  embedding_endpoint_type: text.nullish(),
  embedding_dim: z.number().nullish(),
});

/** Environment variables of tools: an object, or a list of records with a name. */
const lettaSecrets = z.union([z.record(text, z.unknown()), z.array(z.looseObject({ key: text.nullish() }))]).nullish();
export type LettaSecrets = z.infer<typeof lettaSecrets>;

/** The fields that an agent has both in an agent file and in the database. */
export const lettaAgent = z.looseObject({
  id: text.nullish(),
  name: text,
  system: text.nullish(),
  agent_type: text.nullish(),
  description: text.nullish(),
  tags: z.array(text).nullish(),
  metadata: json.nullish(),
  metadata_: json.nullish(),
  llm_config: llmConfig.nullish(),
  model: text.nullish(),
  embedding_config: embeddingConfig.nullish(),
  timezone: text.nullish(),
  tool_rules: z.array(lettaToolRule).nullish(),
  response_format: json.nullish(),
  compaction_settings: json.nullish(),
  created_at: lettaMoment.nullish(),
  secrets: lettaSecrets,
  tool_exec_environment_variables: lettaSecrets,
});
export type LettaAgent = z.infer<typeof lettaAgent>;

const lettaSource = z.looseObject({ id: text.nullish(), name: text, description: text.nullish() });

const lettaFile = z.looseObject({
  id: text.nullish(),
  source_id: text.nullish(),
  file_name: text.nullish(),
  original_file_name: text.nullish(),
  file_type: text.nullish(),
  content: text.nullish(),
});

const ids = z.array(z.string()).nullish();

const fileAgent = lettaAgent.extend({
  id: z.string(),
  block_ids: ids,
  tool_ids: ids,
  source_ids: ids,
  folder_ids: ids,
  in_context_message_ids: ids,
  messages: z.array(lettaMessage).nullish(),
  group_ids: ids,
});

const withId = { id: z.string() };

const agentFile = z.looseObject({
  agents: z.array(fileAgent).min(1),
  blocks: z.array(lettaBlock.extend(withId)).nullish(),
  tools: z.array(lettaTool.extend(withId)).nullish(),
  sources: z.array(lettaSource.extend(withId)).nullish(),
  files: z.array(lettaFile).nullish(),
  groups: z.array(z.unknown()).nullish(),
  mcp_servers: z.array(z.unknown()).nullish(),
  skills: z.array(z.unknown()).nullish(),
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
  llm_config: llmConfig.nullish(),
  embedding_config: embeddingConfig.nullish(),
});

/** Returns the content of an agent file in the newer form. Throws RequestError `import_invalid`. */
export function parseLettaFile(value: unknown): LettaFile {
  if (typeof value === "object" && value !== null && "core_memory" in value && !("agents" in value)) {
    return newerFile(importedAs(olderFile, value));
  }
  if (typeof value !== "object" || value === null || !("agents" in value)) {
    throw importInvalid('expected an agent file, a JSON object with "agents", or with "core_memory" in the older form');
  }
  return importedAs(agentFile, value);
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
