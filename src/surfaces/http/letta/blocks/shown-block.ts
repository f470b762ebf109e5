// Blocks of Letta's API: shared modules of ours.
// Invariant: a block has the id, label, value, limit and description of its module; other fields of Letta's have no meaning here.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { given } from "../wire-values.ts";

export type Module = Awaited<ReturnType<UserRuntime["modules"]["find"]>>;
type ModuleChange = Parameters<UserRuntime["modules"]["update"]>[1];

/** Letta's default, in characters. */
export const defaultBlockLimit = 100_000;

export const blockShape = z.looseObject({
  id: z.string(),
  label: z.string(),
  value: z.string(),
  limit: z.int(),
  description: z.string().nullable(),
  read_only: z.boolean(),
  metadata: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
});

const settings = {
  limit: z.int().min(1).nullish(),
  description: z.string().nullish(),
  read_only: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  tags: z.array(z.string()).nullish(),
};

export const newBlock = z.object({ ...settings, label: z.string(), value: z.string() });
export const blockChange = z.object({ ...settings, label: z.string().nullish(), value: z.string().nullish() });

export type NewBlock = z.output<typeof newBlock>;
export type BlockChange = z.output<typeof blockChange>;

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
    limit: limit ?? defaultBlockLimit,
    description: description ?? descriptions[label] ?? null,
    readOnly: readOnly ?? false,
  };
}

/** Returns what a change of a block changes of its module. */
export function moduleChangeOf({ read_only: readOnly, ...change }: BlockChange): ModuleChange {
  return given({ ...change, readOnly }) as ModuleChange;
}

type ShownModule = Pick<Module, "id" | "label" | "value" | "limit" | "description" | "readOnly" | "metadata" | "tags">;

export function shownBlock({ id, label, value, limit, description, readOnly, metadata, tags }: ShownModule) {
  return {
    ...withoutMeaning,
    id: `block-${id}`,
    label,
    value,
    limit,
    description,
    read_only: readOnly,
    metadata,
    tags,
  };
}

const withoutMeaning = {
  project_id: null,
  template_name: null,
  is_template: false,
  template_id: null,
  base_template_id: null,
  deployment_id: null,
  entity_id: null,
  preserve_on_migration: false,
  hidden: null,
  created_by_id: null,
  last_updated_by_id: null,
};
