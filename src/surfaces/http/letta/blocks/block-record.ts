// Blocks of Letta's API: shared modules of ours, on their own and of an agent.
// Invariant: a block has the id, label, value, limit and description of its module; other fields of Letta's have no meaning here.
import * as z from "zod";
import { RevisionConflictError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { RecordKind } from "../letta-routes.ts";
import type { Module } from "../runtime-records.ts";
import { WireFault } from "../wire-fault.ts";
import { fixed, flag, given, idWith, json, nullableText, nulls, recordOf, text, texts, whole } from "../wire-record.ts";

type ModuleChange = Parameters<UserRuntime["modules"]["update"]>[1];
type ShownModule = Pick<Module, "id" | "label" | "value" | "limit" | "description" | "readOnly" | "metadata" | "tags">;

export const blockRecord = recordOf<ShownModule>()({
  ...nulls("project_id", "template_name", "template_id", "base_template_id", "deployment_id", "entity_id", "hidden"),
  ...nulls("created_by_id", "last_updated_by_id"),
  is_template: fixed(false),
  preserve_on_migration: fixed(false),
  id: idWith("block"),
  label: [text, "label"],
  value: [text, "value"],
  limit: [whole, "limit"],
  description: [nullableText, "description"],
  read_only: [flag, "readOnly"],
  metadata: [json, "metadata"],
  tags: [texts, "tags"],
});

export const blockKind: RecordKind<ShownModule> = {
  param: "block",
  one: "a block",
  many: "blocks",
  shape: blockRecord.shape,
  show: (modules) => modules.map(blockRecord.show),
};

const settings = {
  limit: z.int().min(1).nullish(),
  description: text.nullish(),
  read_only: flag.nullish(),
  metadata: json.nullish(),
  tags: z.array(text).nullish(),
};

export const newBlock = z.object({ ...settings, label: text, value: text });
export const blockChange = z.object({ ...settings, label: text.nullish(), value: text.nullish() });

export type NewBlock = z.output<typeof newBlock>;
type BlockChange = z.output<typeof blockChange>;

/** Letta's default, in characters. */
const defaultLimit = 100_000;

/** What the labels that most agents have are for. */
const descriptions: Readonly<Record<string, string>> = {
  human: "What you know about the person you talk to.",
  persona: "Who you are, and how you behave.",
};

/** Returns a new block as a module without tags and metadata. */
export function moduleOf({ label, value, limit, description, read_only: readOnly }: NewBlock) {
  return {
    label,
    value,
    limit: limit ?? defaultLimit,
    description: description ?? descriptions[label] ?? null,
    readOnly: readOnly ?? false,
  };
}

type Runtime = Pick<UserRuntime, "agents" | "modules">;

/** The modules of an agent, in their order, as blocks. Throws RequestError `agent_not_found`. */
export async function blocksOf({ agents, modules }: Runtime, agent: string) {
  const { id } = await agents.find(agent);
  return (await modules.ofAgents([id])).map(blockRecord.show);
}

/** Throws WireFault with the status 404 if the agent has no block of that label. */
export async function blockOf(runtime: Runtime, agent: string, label: string) {
  const found = (await blocksOf(runtime, agent)).find((block) => block.label === label);
  if (found !== undefined) return found;
  const detail = `No block with label '${label}' found for agent 'agent-${agent}'`;
  throw new WireFault(404, "module_not_found", { detail });
}

/** Attempts to change a module that is edited meanwhile. */
const maxAttempts = 5;

/** Changes a block. The text replaces whatever it is by then, as clients expect. */
export async function changeBlock(
  { modules }: Pick<UserRuntime, "modules">,
  id: string,
  { read_only: readOnly, ...change }: BlockChange,
): Promise<Module> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await modules.update(id, given({ ...change, readOnly }) as ModuleChange);
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === maxAttempts) throw error;
    }
  }
}
