// Defines the routes of `/v1` that export agents as files and import them.
// Invariant: an import stores all agents of the file or none; a name in use gets a number, and clients see the name that is in
// the file.
import * as z from "zod";
import type { AgentImport, AgentImportOptions } from "../../../../runtime/agents/agent-files.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { withFreeEnding } from "../free-names.ts";
import { on } from "../letta-routes.ts";
import { requireEmbedder, requireModel } from "../models.ts";
import { queryFlag } from "../pages.ts";
import { unserved } from "../wire-fault.ts";
import { each, given } from "../wire-record.ts";
import { agentExtensionOf, extensionsWith } from "./agent-extension.ts";

const text = z
  .string()
  .transform((value) => (value === "" ? undefined : value))
  .optional();

const importForm = z.object({
  file: z.file(),
  ...each(text, "name", "override_name", "model", "override_model_handle", "embedding", "override_embedding_handle"),
  ...each(queryFlag.optional(), "strip_messages", "override_existing_tools", "append_copy_suffix"),
});

type ImportForm = z.output<typeof importForm>;

export const agentFileRoutes: readonly Route[] = [
  on("get /agents/:agent/export", "read", "Export an agent as an agent file", {
    query: z.object({
      ...each(z.string().optional(), "conversation_id", "max_steps"),
      ...each(unserved, "scrub_messages", "use_legacy_format"),
    }),
    output: z.looseObject({ agents: z.array(z.looseObject({})) }),
    run: ({ runtime, params: { agent } }) => runtime.agents.export(agent),
  }),
  on("post /agents/import", "admin", "Create the agents of an agent file", {
    isForm: true,
    body: importForm,
    output: z.object({ agent_ids: z.array(z.string()) }),
    run: async ({ runtime, body, headers }) => {
      const named = body.embedding ?? body.override_embedding_handle;
      const embedding = named ?? headers.get("x-override-embedding-model") ?? undefined;
      const options = await optionsOf(runtime, { ...body, embedding });
      const { agents } = await importAgents(runtime, await body.file.text(), options);
      return { agent_ids: agents.map(({ id }) => `agent-${id}`) };
    },
  }),
];

/** Returns the options of an import. Throws WireFault for the handle of an unlisted model or embedder. */
async function optionsOf(runtime: UserRuntime, form: ImportForm): Promise<AgentImportOptions> {
  const name = form.name ?? form.override_name;
  const model = form.model ?? form.override_model_handle;
  const { embedding } = form;
  if (model !== undefined) await requireModel(runtime, model);
  if (embedding !== undefined) await requireEmbedder(runtime, embedding);
  return {
    ...given({ name, model, embedding }),
    ...(form.append_copy_suffix === true ? { suffix: "_copy" } : {}),
    withoutMessages: form.strip_messages === true,
    existingTools: form.override_existing_tools === true ? "replace" : "keep",
  };
}

function importAgents(runtime: UserRuntime, file: string, options: AgentImportOptions): Promise<AgentImport> {
  return withFreeEnding(async (ending) => {
    const imported = await runtime.agents.import(file, { ...options, suffix: `${options.suffix ?? ""}${ending}` });
    if (ending !== "") await showNames(runtime, imported, ending);
    return imported;
  });
}

/** Stores each agent's name without the added number in its extension, because clients see the name there. */
async function showNames(runtime: UserRuntime, { agents }: AgentImport, added: string): Promise<void> {
  for (const agent of agents) {
    const name = agent.name.slice(0, -added.length);
    await runtime.agents.setDetails(agent.id, { extensions: extensionsWith({ ...agentExtensionOf(agent), name }) });
  }
}
