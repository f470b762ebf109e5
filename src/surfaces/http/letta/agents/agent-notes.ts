// What Letta's clients set on an agent and the runtime has no place for: kept with the agent, under `letta`.
// Invariant: what the runtime has itself (name, model, tools, rules in force) is not read from here, apart from a name that it cannot have.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";

type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;

const anyObject = z.record(z.string(), z.unknown());

/** Fields that are shown as they were sent. */
const keptFields = {
  agent_type: z.string(),
  compaction_settings: anyObject,
  embedding: z.string(),
  enable_sleeptime: z.boolean(),
  hidden: z.boolean(),
  max_files_open: z.int(),
  message_buffer_autoclear: z.boolean(),
  model_settings: anyObject,
  parallel_tool_calls: z.boolean(),
  per_file_view_window_char_limit: z.int(),
  project_id: z.string(),
  response_format: anyObject,
  template_id: z.string(),
  base_template_id: z.string(),
  tool_rules: z.array(anyObject),
};

/** The fields of a request that become notes. */
export const keptInput = z.object(keptFields).partial();

const notes = keptInput.extend({
  /** The name that the client gave, if the runtime could not take it: names are unique there. */
  name: z.string().optional(),
  /** Tools that clients name and this server does not have: shown, and never offered to the model. */
  absent_tools: z.array(z.string()).optional(),
  identity_ids: z.array(z.string()).optional(),
  updated_at: z.iso.datetime().optional(),
});

export type AgentNotes = z.output<typeof notes>;
export type KeptInput = z.output<typeof keptInput>;

/** Returns the notes of an agent; none for one that was created elsewhere. */
export function notesOf({ extensions }: Pick<AgentRecord, "extensions">): AgentNotes {
  const result = notes.safeParse(extensions["letta"] ?? {});
  return result.success ? result.data : {};
}

/** Returns what a request contains of the fields that are kept. */
export function keptOf(body: Readonly<Record<string, unknown>>): KeptInput {
  const sent = Object.keys(keptFields).filter((field) => (body[field] ?? null) !== null);
  return Object.fromEntries(sent.map((field) => [field, body[field]]));
}

/** Returns the notes as the runtime stores them. */
export function extensionsOf(kept: AgentNotes): Readonly<Record<string, unknown>> {
  return { letta: Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) };
}
