// The requests that create and change agents: their fields, and what of them becomes a setting.
// Invariant: unknown fields are ignored, as Letta does; what cannot be carried out is refused before anything is written.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { newBlock } from "../blocks/shown-block.ts";
import { idOf } from "../ids.ts";
import { requireEmbedder, requireModel } from "../models/shown-model.ts";
import { given } from "../wire-values.ts";
import { invalidArgument } from "../wire-fault.ts";
import { keptInput } from "./agent-notes.ts";
import type { AgentRecord } from "./agent-state.ts";
import { ruleOf } from "./tool-rules.ts";

/** Of each list of a request: the maximum of an agent's blocks, and more tools than a model can use. */
const maxItems = 100;

const text = z.string().nullish();
const number = z.int().min(1).nullish();
const object = z.record(z.string(), z.unknown()).nullish();
const ids = <Prefix extends Parameters<typeof idOf>[0]>(prefix: Prefix) =>
  z.array(idOf(prefix)).max(maxItems).nullish();
const config = z.looseObject({ handle: text, model: text, context_window: number, max_tokens: number }).nullish();

/** What a field is when it is absent or null. */
const nullishKept = Object.fromEntries(
  Object.entries(keptInput.shape).map(([name, schema]) => [name, schema.nullish()]),
);

const common = {
  name: text,
  description: text,
  system: text,
  tags: z.array(z.string()).max(maxItems).nullish(),
  metadata: object,
  model: text,
  embedding: text,
  llm_config: config,
  embedding_config: z.looseObject({ handle: text }).nullish(),
  context_window_limit: number,
  max_tokens: number,
  timezone: text,
  tool_ids: ids("tool"),
  block_ids: ids("block"),
  source_ids: ids("source"),
  folder_ids: ids("source"),
  identity_ids: ids("identity"),
  secrets: object,
  tool_exec_environment_variables: object,
  model_settings: z.looseObject({ max_output_tokens: number }).nullish(),
};

export const newAgentRequest = z.object({
  ...nullishKept,
  ...common,
  memory_blocks: z.array(newBlock).max(maxItems).nullish(),
  tools: z.array(z.string()).max(maxItems).nullish(),
  include_base_tools: z.boolean().nullish(),
  initial_message_sequence: z.array(z.unknown()).nullish(),
});

export const agentChangeRequest = z.object({ ...nullishKept, ...common });

type Request = z.output<typeof agentChangeRequest>;
export type NewAgentRequest = z.output<typeof newAgentRequest>;
export type AgentChangeRequest = Request;

/** Returns the handle of a request's model; null if it names none. Throws WireFault for one that is not listed. */
export async function modelOf(runtime: UserRuntime, { model, llm_config: config }: Request): Promise<string | null> {
  const handle = model ?? config?.handle ?? null;
  if (handle !== null) await requireModel(runtime, handle);
  return handle;
}

/** As `modelOf`, for the embedder. */
export async function embedderOf(
  runtime: UserRuntime,
  { embedding, embedding_config: config }: Request,
): Promise<string | null> {
  const handle = embedding ?? config?.handle ?? null;
  if (handle !== null) await requireEmbedder(runtime, handle);
  return handle;
}

/** Returns the settings that a request contains. Throws Fault for a rule that there is not. */
export function settingsOf(request: Request): Partial<AgentRecord["settings"]> {
  const {
    llm_config: config,
    model_settings: model,
    tool_rules: rules,
  } = request as Request & {
    readonly tool_rules?: readonly Readonly<Record<string, unknown>>[] | null;
  };
  return given({
    contextWindow: request.context_window_limit ?? config?.context_window,
    maxOutputTokens: request.max_tokens ?? model?.max_output_tokens ?? config?.max_tokens,
    timeZone: request.timezone,
    toolRules: rules?.map(ruleOf),
  });
}

/** Throws Fault for what an agent cannot have here. */
export function requireSupported(request: Request | NewAgentRequest): void {
  const { secrets, tool_exec_environment_variables: variables } = request;
  const messages = "initial_message_sequence" in request ? request.initial_message_sequence : [];
  if (Object.keys({ ...secrets, ...variables }).length > 0)
    throw invalidArgument(
      "secrets",
      "Tools run without an environment on this server, so that it keeps no secrets of agents.",
    );
  if ((messages ?? []).length > 0)
    throw invalidArgument(
      "initial_message_sequence",
      "Only an agent itself writes its messages on this server. Put what it has to know into a block, or send it as a message.",
    );
}
