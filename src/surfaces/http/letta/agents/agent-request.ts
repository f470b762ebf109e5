// Checks the requests that create and change agents, and reads the settings in them.
// Invariant: unknown fields are ignored, as in Letta; requests that cannot be carried out are refused before anything is
// written.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { newBlock } from "../blocks/block-record.ts";
import { idOf } from "../ids.ts";
import { requireEmbedder, requireModel } from "../models.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { invalidArgument } from "../wire-fault.ts";
import { each, given } from "../wire-record.ts";
import { keptInput, keptOf } from "./agent-extension.ts";
import { ruleOf } from "./tool-rules.ts";

/** Maximum items in each list of a request: an agent cannot have more blocks, and no model can use so many tools. */
const maxItems = 100;

const text = z.string().nullish();
const number = z.int().min(1).nullish();
const object = z.record(z.string(), z.unknown()).nullish();
const ids = (prefix: Parameters<typeof idOf>[0]) => z.array(idOf(prefix)).max(maxItems).nullish();
const config = z.looseObject({ handle: text, model: text, context_window: number, max_tokens: number }).nullish();

const kept = Object.fromEntries(Object.entries(keptInput.shape).map(([name, form]) => [name, form.nullish()]));

const common = {
  ...each(text, "name", "description", "system", "model", "embedding", "timezone"),
  ...each(object, "metadata", "secrets", "tool_exec_environment_variables"),
  tags: z.array(z.string()).max(maxItems).nullish(),
  llm_config: config,
  embedding_config: z.looseObject({ handle: text }).nullish(),
  ...each(number, "context_window_limit", "max_tokens"),
  tool_ids: ids("tool"),
  block_ids: ids("block"),
  ...each(ids("source"), "source_ids", "folder_ids"),
  identity_ids: ids("identity"),
  model_settings: z.looseObject({ max_output_tokens: number }).nullish(),
};

export const newAgentRequest = z.object({
  ...kept,
  ...common,
  memory_blocks: z.array(newBlock).max(maxItems).nullish(),
  tools: z.array(z.string()).max(maxItems).nullish(),
  include_base_tools: z.boolean().nullish(),
  include_multi_agent_tools: z.boolean().nullish(),
  initial_message_sequence: z.array(z.unknown()).nullish(),
});

export const agentChangeRequest = z.object({ ...kept, ...common });

export type AgentChangeRequest = z.output<typeof agentChangeRequest>;
export type NewAgentRequest = z.output<typeof newAgentRequest>;

/**
 * Returns the handles of model and embedder in a request, each null if absent. Throws WireFault for an unlisted handle. `own`:
 * the agent's current model, which is accepted even if the operator no longer lists it.
 */
export async function handlesOf(runtime: UserRuntime, request: AgentChangeRequest, own: string | null = null) {
  const model = request.model ?? request.llm_config?.handle ?? null;
  const embedder = request.embedding ?? request.embedding_config?.handle ?? null;
  if (model !== null && model !== own) await requireModel(runtime, model);
  if (embedder !== null) await requireEmbedder(runtime, embedder);
  return { model, embedder };
}

/** Returns the settings in a request. Throws Fault for an unknown or malformed tool rule. */
export function settingsOf(request: AgentChangeRequest): Partial<AgentRecord["settings"]> {
  const { llm_config: config, model_settings: model } = request;
  const { tool_rules: rules } = keptOf(request);
  return given({
    contextWindow: request.context_window_limit ?? config?.context_window,
    maxOutputTokens: request.max_tokens ?? model?.max_output_tokens ?? config?.max_tokens,
    timeZone: request.timezone,
    toolRules: rules?.map(ruleOf),
  });
}

/** Checks that this server supports a request. Throws Fault for secrets, environment variables and initial messages. */
export function requireSupported(request: AgentChangeRequest | NewAgentRequest): void {
  const { secrets, tool_exec_environment_variables: variables } = request;
  const messages = "initial_message_sequence" in request ? request.initial_message_sequence : [];
  if (Object.keys({ ...secrets, ...variables }).length > 0)
    throw invalidArgument(
      "secrets",
      "Tools on this server get no environment variables, so it stores no secrets of agents. Omit `secrets`.",
    );
  if ((messages ?? []).length > 0)
    throw invalidArgument(
      "initial_message_sequence",
      "This server accepts no initial messages of an agent. Put the facts into a block, or send them as a message.",
    );
}
