// Routes of `/v1` about the archival memory of an agent, and the archives that are attached to it.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { agentPath, idOf } from "../ids.ts";
import { given } from "../wire-values.ts";
import { attachedTo, setAttached } from "./collections.ts";
import { pageOfAgent, passagesQuery } from "./passage-lists.ts";
import { searchEverywhere, searchOfAgent, searchQuery, searchRequest } from "./passage-search.ts";
import { embeddingConfigOf, passageShape, shownPassage } from "./shown-archive.ts";
import { sentTime } from "../../wire-time.ts";

const passagePath = agentPath.extend({ passage: idOf("passage") });

export const newPassageRequest = z.object({
  text: z.string().min(1),
  tags: z.array(z.string()).nullish(),
  metadata: z.strictObject({}, { error: "Passages have no metadata on this server: use tags." }).nullish(),
  created_at: sentTime({ isLocal: true }).nullish(),
});

interface NewPassage {
  readonly id: string;
  readonly archiveId: string;
  readonly request: z.output<typeof newPassageRequest>;
}

export async function shownNew(runtime: Pick<UserRuntime, "models">, { id, archiveId, request }: NewPassage) {
  const { tags = [], at = new Date() } = detailsOf(request);
  return shownPassage({ id, text: request.text, tags, at }, archiveId, await embeddingConfigOf(runtime));
}

/** What the runtime takes for a passage that a client sends. */
export function detailsOf({ tags, created_at: createdAt }: z.output<typeof newPassageRequest>) {
  return given({ tags, at: createdAt });
}

export const agentPassageRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/agents/:agent/archival-memory",
    summary: "List the passages of an agent's archival memory",
    scope: "read",
    params: agentPath,
    query: passagesQuery,
    output: z.array(passageShape),
    run: async ({ runtime, params: { agent }, query }) => {
      const config = await embeddingConfigOf(runtime);
      const page = await pageOfAgent(runtime, agent, query);
      return page.map((passage) => shownPassage(passage, passage.archiveId, config));
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/archival-memory",
    summary: "Add a passage to an agent's archival memory",
    scope: "chat",
    params: agentPath,
    body: newPassageRequest,
    output: z.array(passageShape),
    run: async ({ runtime, params: { agent }, body }) => {
      const { id } = await runtime.archival.add(agent, body.text, detailsOf(body));
      return [await shownNew(runtime, { id, archiveId: agent, request: body })];
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/archival-memory/search",
    summary: "Search an agent's archival memory",
    scope: "read",
    params: agentPath,
    query: searchQuery,
    output: z.object({ results: z.array(z.looseObject({ id: z.string() })), count: z.int() }),
    run: ({ runtime, params, query }) => searchOfAgent(runtime, params.agent, query),
  }),
  route({
    method: "delete",
    path: "/agents/:agent/archival-memory/:passage",
    summary: "Delete a passage of an agent's archival memory",
    scope: "chat",
    params: passagePath,
    output: z.object({ message: z.string() }),
    run: async ({ runtime, params: { agent, passage } }) => {
      await deletePassage(runtime, agent, passage);
      return { message: `Memory id=passage-${passage} successfully deleted` };
    },
  }),
  ...attachRoutes({
    word: "archives",
    name: "archive",
    label: "an archive",
    change: (runtime, attachment) => setAttached(runtime, "archive", attachment),
  }),
  route({
    method: "post",
    path: "/passages/search",
    summary: "Search the passages of an agent, of an archive, or of all agents",
    scope: "read",
    body: searchRequest,
    output: z.array(z.looseObject({ passage: passageShape })),
    run: ({ runtime, body }) => searchEverywhere(runtime, body),
  }),
];

/** Also of an attached archive. Throws RequestError `passage_not_found`. */
async function deletePassage(runtime: UserRuntime, agent: string, passage: string): Promise<void> {
  if (await runtime.archival.delete(agent, passage)) return;
  for (const { id } of await attachedTo(runtime, "archive", agent))
    if (await runtime.sources.deletePassage(id, passage)) return;
  throw new RequestError("passage_not_found", `The agent has no passage ${passage}.`);
}
