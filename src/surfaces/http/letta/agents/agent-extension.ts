// Reads and writes the extension of an agent: fields that Letta's clients set and the runtime does not have. They are stored
// in the agent's `extensions`, under `letta`.
// Invariant: fields that the runtime has (name, model, tools, tool rules) are read from the runtime, except a name that the
// runtime cannot use.
import * as z from "zod";
import { given } from "../../../../base/given.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { json } from "../wire-record.ts";

/** Letta's default type of agents. */
export const defaultAgentType = "letta_v1_agent";

/** Schemas and defaults of the fields that are shown as sent. Default undefined: the runtime's value, or no field. */
export const keptFields = {
  agent_type: [z.string(), defaultAgentType],
  compaction_settings: [json, null],
  embedding: [z.string(), undefined],
  enable_sleeptime: [z.boolean(), null],
  hidden: [z.boolean(), null],
  max_files_open: [z.int(), 10],
  message_buffer_autoclear: [z.boolean(), false],
  model_settings: [json, undefined],
  parallel_tool_calls: [z.boolean(), undefined],
  per_file_view_window_char_limit: [z.int(), 25_000],
  project_id: [z.string(), null],
  response_format: [json, null],
  template_id: [z.string(), null],
  base_template_id: [z.string(), null],
  tool_rules: [z.array(json), undefined],
} as const;

type KeptForms = { readonly [Name in keyof typeof keptFields]: (typeof keptFields)[Name][0] };

// The cast is sound: each field keeps its schema.
const keptForms = Object.fromEntries(Object.entries(keptFields).map(([name, [form]]) => [name, form])) as KeptForms;

/** The fields of a request that are stored in the extension. */
export const keptInput = z.object(keptForms).partial();

const extensionShape = keptInput.extend({
  /** The name that the client gave, if it is not the agent's name in the runtime, where names are unique. */
  name: z.string().optional(),
  /** The names of tools that a client chose and this server lacks: shown to clients, but not offered to the model. */
  absent_tools: z.array(z.string()).optional(),
  identity_ids: z.array(z.string()).optional(),
  updated_at: z.iso.datetime().optional(),
});

export type AgentExtension = z.output<typeof extensionShape>;
export type KeptInput = z.output<typeof keptInput>;

/** Returns the extension of an agent; empty for an agent that was not created through this API. */
export function agentExtensionOf({ extensions }: Pick<AgentRecord, "extensions">): AgentExtension {
  return extensionShape.safeParse(extensions["letta"] ?? {}).data ?? {};
}

/** Returns the fields of a request that are stored in the agent's extension. */
export function keptOf(body: Readonly<Record<string, unknown>>): KeptInput {
  const sent = Object.keys(keptFields).filter((field) => (body[field] ?? null) !== null);
  return Object.fromEntries(sent.map((field) => [field, body[field]]));
}

/** Returns the value of an agent's `extensions` that stores this extension. */
export function extensionsWith(kept: AgentExtension): Readonly<Record<string, unknown>> {
  return { letta: given(kept) };
}

/** Returns the ids of the identities that an agent has. */
export function identityIdsOf(agent: Pick<AgentRecord, "extensions">): readonly string[] {
  return agentExtensionOf(agent).identity_ids ?? [];
}
