// Routes of `/v1` about archives and their passages.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { idOf } from "../ids.ts";
import { requireEmbedder } from "../models/shown-model.ts";
import { pageOf, pageQuery } from "../page-query.ts";
import { invalidArgument } from "../wire-fault.ts";
import { agentPassageRoutes, detailsOf, newPassageRequest, shownNew } from "./agent-passage-routes.ts";
import { attachedTo, changeCollection, collectionAt, collectionsOf, createCollection } from "./collections.ts";
import { isAgent, pageOfSource, passagesQuery } from "./passage-lists.ts";
import {
  archiveShape,
  embeddingConfigOf,
  passageShape,
  shownAgentArchive,
  shownArchive,
  shownPassage,
} from "./shown-archive.ts";

const archivePath = z.object({ archive: idOf("archive") });
const passagePath = archivePath.extend({ passage: idOf("passage") });

const newArchive = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  embedding: z.string().nullish(),
  embedding_config: z.looseObject({}).nullish(),
});

const archiveChange = z.object({
  name: z.string().min(1).optional(),
  description: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
});

const archivesQuery = pageQuery("archive").extend({
  name: z.string().optional(),
  agent_id: idOf("agent").optional(),
});

const ownRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/archives",
    summary: "List archives",
    scope: "read",
    query: archivesQuery,
    output: z.array(archiveShape),
    run: async ({ runtime, query }) => pageOf(await shownArchives(runtime, query), query).map(({ shown }) => shown),
  }),
  route({
    method: "post",
    path: "/archives",
    summary: "Create an archive",
    scope: "admin",
    body: newArchive,
    output: archiveShape,
    run: async ({ runtime, body: { embedding, ...body } }) => {
      if (typeof embedding === "string") await requireEmbedder(runtime, embedding);
      return shownArchive(await createCollection(runtime, "archive", body), await embeddingConfigOf(runtime));
    },
  }),
  route({
    method: "get",
    path: "/archives/:archive",
    summary: "Get an archive",
    scope: "read",
    params: archivePath,
    output: archiveShape,
    run: async ({ runtime, params: { archive } }) => {
      const config = await embeddingConfigOf(runtime);
      if (await isAgent(runtime, archive)) return shownAgentArchive(await runtime.agents.find(archive), config);
      return shownArchive(await collectionAt(runtime, "archive", archive), config);
    },
  }),
  route({
    method: "patch",
    path: "/archives/:archive",
    summary: "Change an archive",
    scope: "admin",
    params: archivePath,
    body: archiveChange,
    output: archiveShape,
    run: async ({ runtime, params: { archive }, body }) => {
      const changed = await changeCollection(runtime, await collectionAt(runtime, "archive", archive), body);
      return shownArchive(changed, await embeddingConfigOf(runtime));
    },
  }),
  route({
    method: "delete",
    path: "/archives/:archive",
    summary: "Delete an archive with its passages",
    scope: "admin",
    params: archivePath,
    output: null,
    run: async ({ runtime, params: { archive } }) => {
      await runtime.sources.delete((await collectionAt(runtime, "archive", archive)).id);
    },
  }),
];

const passageRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/archives/:archive/passages",
    summary: "List the passages of an archive",
    scope: "read",
    params: archivePath,
    query: passagesQuery,
    output: z.array(passageShape),
    run: async ({ runtime, params: { archive }, query }) => {
      await collectionAt(runtime, "archive", archive);
      const config = await embeddingConfigOf(runtime);
      const page = await pageOfSource(runtime, archive, query);
      return page.map((passage) => shownPassage(passage, archive, config));
    },
  }),
  route({
    method: "post",
    path: "/archives/:archive/passages",
    summary: "Add a passage to an archive",
    scope: "chat",
    params: archivePath,
    body: newPassageRequest,
    output: passageShape,
    run: ({ runtime, params: { archive }, body }) => addPassage(runtime, archive, body),
  }),
  route({
    method: "post",
    path: "/archives/:archive/passages/batch",
    summary: "Add passages to an archive",
    scope: "chat",
    params: archivePath,
    body: z.object({ passages: z.array(newPassageRequest).min(1).max(1000) }),
    output: z.array(passageShape),
    run: async ({ runtime, params: { archive }, body: { passages } }) => {
      const added: Awaited<ReturnType<typeof addPassage>>[] = [];
      for (const passage of passages) added.push(await addPassage(runtime, archive, passage));
      return added;
    },
  }),
  route({
    method: "delete",
    path: "/archives/:archive/passages/:passage",
    summary: "Delete a passage of an archive",
    scope: "chat",
    params: passagePath,
    output: null,
    run: async ({ runtime, params: { archive, passage } }) => {
      const isGone = (await isAgent(runtime, archive))
        ? await runtime.archival.delete(archive, passage)
        : await runtime.sources.deletePassage((await collectionAt(runtime, "archive", archive)).id, passage);
      if (!isGone) throw new RequestError("passage_not_found", `The archive has no passage ${passage}.`);
    },
  }),
];

/** With their UUIDs, oldest first. An agent's own archive is listed for that agent only. */
async function shownArchives(runtime: UserRuntime, { name, agent_id: agent }: z.output<typeof archivesQuery>) {
  const config = await embeddingConfigOf(runtime);
  const own = agent === undefined ? [] : [shownAgentArchive(await runtime.agents.find(agent), config)];
  const sources =
    agent === undefined ? await collectionsOf(runtime, "archive") : await attachedTo(runtime, "archive", agent);
  const shown = [...own, ...sources.map((source) => shownArchive(source, config))];
  return shown
    .filter((archive) => name === undefined || archive.name === name)
    .map((archive) => ({ id: archive.id.slice("archive-".length), shown: archive }));
}

async function addPassage(runtime: UserRuntime, archive: string, request: z.output<typeof newPassageRequest>) {
  if (request.text.trim() === "") throw invalidArgument("text", "Expected some text, got a blank text.");
  const add = async () => {
    if (await isAgent(runtime, archive)) return runtime.archival.add(archive, request.text, detailsOf(request));
    const { id } = await collectionAt(runtime, "archive", archive);
    return runtime.sources.add(id, request.text, detailsOf(request));
  };
  return shownNew(runtime, { id: (await add()).id, archiveId: archive, request });
}

export const archiveRoutes: readonly Route[] = [...ownRoutes, ...passageRoutes, ...agentPassageRoutes];
