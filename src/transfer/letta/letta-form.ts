// The shapes of Letta's records, in agent files of 0.16 and in its database, as far as an import reads them.
// Invariant: unknown keys are ignored, and a key that is null is as one that is absent: versions of Letta differ in both.
import * as z from "zod";
import { acceptedTimes, isAcceptedTime } from "../../base/calendar.ts";

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
  /** Of older rows, which have no content. */
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

export const lettaToolRule = z.looseObject({
  type: text,
  tool_name: text,
  children: z.array(text).nullish(),
  child_output_mapping: z.record(z.string(), text).nullish(),
  default_child: text.nullish(),
  max_count_limit: z.number().nullish(),
});
export type LettaToolRule = z.infer<typeof lettaToolRule>;

export const llmConfig = z.looseObject({
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

/** What an agent file and a row of an agent have in common. */
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

export const lettaSource = z.looseObject({ id: text.nullish(), name: text, description: text.nullish() });

export const lettaFile = z.looseObject({
  id: text.nullish(),
  source_id: text.nullish(),
  file_name: text.nullish(),
  original_file_name: text.nullish(),
  file_type: text.nullish(),
  content: text.nullish(),
});
