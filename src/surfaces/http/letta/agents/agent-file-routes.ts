// Routes of `/v1` that export agents as files and import them.
// Invariant: an import stores all agents of the file or none; a name in use gets a number, and clients see the name of the file.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { AgentImport, AgentImportOptions } from "../../../../runtime/agent-files.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { agentPath } from "../ids.ts";
import { requireEmbedder, requireModel } from "../models/shown-model.ts";
import { queryFlag } from "../page-query.ts";
import { extensionsOf, notesOf } from "./agent-notes.ts";
import { unserved } from "../unserved.ts";

const text = z
  .string()
  .transform((value) => (value === "" ? undefined : value))
  .optional();

const importForm = z.object({
  file: z.file(),
  name: text,
  override_name: text,
  model: text,
  override_model_handle: text,
  embedding: text,
  override_embedding_handle: text,
  strip_messages: queryFlag.optional(),
  override_existing_tools: queryFlag.optional(),
  append_copy_suffix: queryFlag.optional(),
});

type ImportForm = z.output<typeof importForm>;

export const agentFileRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/agents/:agent/export",
    summary: "Export an agent as an agent file",
    scope: "read",
    params: agentPath,
    query: z.object({
      conversation_id: z.string().optional(),
      max_steps: z.string().optional(),
      scrub_messages: unserved,
      use_legacy_format: unserved,
    }),
    output: z.looseObject({ agents: z.array(z.looseObject({})) }),
    run: ({ runtime, params: { agent } }) => runtime.agents.export(agent),
  }),
  route({
    method: "post",
    path: "/agents/import",
    summary: "Create the agents of an agent file",
    scope: "admin",
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

/** Throws WireFault for a handle that is not listed. */
async function optionsOf(runtime: UserRuntime, form: ImportForm): Promise<AgentImportOptions> {
  const name = form.name ?? form.override_name;
  const model = form.model ?? form.override_model_handle;
  const { embedding } = form;
  if (model !== undefined) await requireModel(runtime, model);
  if (embedding !== undefined) await requireEmbedder(runtime, embedding);
  return {
    ...(name === undefined ? {} : { name }),
    ...(model === undefined ? {} : { model }),
    ...(embedding === undefined ? {} : { embedding }),
    ...(form.append_copy_suffix === true ? { suffix: "_copy" } : {}),
    withoutMessages: form.strip_messages === true,
    existingTools: form.override_existing_tools === true ? "replace" : "keep",
  };
}

const maxNumber = 1000;

async function importAgents(runtime: UserRuntime, file: string, options: AgentImportOptions): Promise<AgentImport> {
  for (let number = 1; ; number += 1) {
    const added = number === 1 ? "" : ` (${number})`;
    try {
      const imported = await runtime.agents.import(file, { ...options, suffix: `${options.suffix ?? ""}${added}` });
      if (added !== "") await showNames(runtime, imported, added);
      return imported;
    } catch (error) {
      if (!(error instanceof RequestError && error.code === "agent_exists") || number === maxNumber) throw error;
    }
  }
}

/** Keeps the names without the number as those that clients see. */
async function showNames(runtime: UserRuntime, { agents }: AgentImport, added: string): Promise<void> {
  for (const agent of agents) {
    const name = agent.name.slice(0, -added.length);
    await runtime.agents.setDetails(agent.id, { extensions: extensionsOf({ ...notesOf(agent), name }) });
  }
}
