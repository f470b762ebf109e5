// Shows and changes blocks of Letta's API: each block is a shared module, which agents can hold.
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

/** Letta's default limit of a block, in characters. */
const defaultLimit = 100_000;

/** Default descriptions, for the labels that most agents have. */
const descriptions: Readonly<Record<string, string>> = {
  human: "What you know about the person you talk to.",
  persona: "Who you are, and how you behave.",
};

/** Returns a new block as a module, without the block's tags and metadata. */
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

/** Returns the modules of an agent, in their order, as blocks. Throws RequestError `agent_not_found`. */
export async function blocksOf({ agents, modules }: Runtime, agent: string) {
  const { id } = await agents.find(agent);
  return (await modules.ofAgents([id])).map(blockRecord.show);
}

/** Returns an agent's block with this label. Throws WireFault with the status 404 if there is none. */
export async function blockOf(runtime: Runtime, agent: string, label: string) {
  const found = (await blocksOf(runtime, agent)).find((block) => block.label === label);
  if (found !== undefined) return found;
  const detail = `No block with label '${label}' found for agent 'agent-${agent}'`;
  throw new WireFault(404, "module_not_found", { detail });
}

/** Maximum attempts to change a module that is edited at the same time. */
const maxAttempts = 5;

/** Changes a block. As clients expect, the new text replaces even a text that was edited meanwhile. */
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
