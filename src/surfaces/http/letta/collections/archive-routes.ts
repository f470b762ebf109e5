// Defines the routes of `/v1` for archives and their passages, and for the archival memory of an agent.
// Invariant: an agent's own archive is listed for that agent only, and can be neither changed nor deleted.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { idOf } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { requireEmbedder } from "../models.ts";
import { pageOf, pageQuery } from "../pages.ts";
import { invalidArgument } from "../wire-fault.ts";
import { json, text } from "../wire-record.ts";
import {
  type Archive,
  archiveShape,
  attachedTo,
  changeCollection,
  collectionAt,
  collectionsOf,
  createCollection,
  setAttached,
  shownArchives,
} from "./collections.ts";
import {
  detailsOf,
  isAgent,
  newPassageRequest,
  pageOfAgent,
  pageOfSource,
  passageRecord,
  passagesQuery,
  searchEverywhere,
  searchOfAgent,
  searchQuery,
  searchRequest,
  shownNew,
  shownPassages,
} from "./passages.ts";

const newArchive = z.object({
  name: z.string().min(1),
  description: text.nullish(),
  metadata: json.nullish(),
  embedding: text.nullish(),
  embedding_config: z.looseObject({}).nullish(),
});

const archivesQuery = pageQuery("archive").extend({ name: text.optional(), agent_id: idOf("agent").optional() });

const archiveKind: RecordKind<Archive> = {
  param: "archive",
  one: "an archive",
  many: "archives",
  shape: archiveShape,
  show: (archives, { runtime }) => shownArchives(runtime, archives),
};

const archive = recordRoutes("/archives", archiveKind);

const ofArchive = "/archives/:archive/passages";
const ofAgent = "/agents/:agent/archival-memory";

export const archiveRoutes: readonly Route[] = [
  archive.list({ query: archivesQuery, run: ({ runtime, query }) => listArchives(runtime, query) }),
  archive.create({
    body: newArchive,
    run: async ({ runtime, body: { embedding, ...body } }) => {
      if (typeof embedding === "string") await requireEmbedder(runtime, embedding);
      return createCollection(runtime, "archive", body);
    },
  }),
  archive.get({
    run: async ({ runtime }, id) =>
      (await isAgent(runtime, id)) ? runtime.agents.find(id) : collectionAt(runtime, "archive", id),
  }),
  archive.change({
    body: z.object({ name: z.string().min(1).optional(), description: text.nullish(), metadata: json.nullish() }),
    run: async ({ runtime, body }, id) => changeCollection(runtime, await collectionAt(runtime, "archive", id), body),
  }),
  archive.remove({
    summary: "Delete an archive with its passages",
    isSilent: true,
    run: async ({ runtime }, id) => runtime.sources.delete((await collectionAt(runtime, "archive", id)).id),
  }),
  on(`get ${ofArchive}`, "read", "List the passages of an archive", {
    query: passagesQuery,
    output: z.array(passageRecord.shape),
    run: async ({ runtime, params: { archive: id }, query }) => {
      await collectionAt(runtime, "archive", id);
      return shownPassages(runtime, await pageOfSource(runtime, id, query));
    },
  }),
  on(`post ${ofArchive}`, "chat", "Add a passage to an archive", {
    body: newPassageRequest,
    output: passageRecord.shape,
    run: ({ runtime, params, body }) => addPassage(runtime, params.archive, body),
  }),
  on(`post ${ofArchive}/batch`, "chat", "Add passages to an archive", {
    body: z.object({ passages: z.array(newPassageRequest).min(1).max(1000) }),
    output: z.array(passageRecord.shape),
    run: async ({ runtime, params, body: { passages } }) => {
      const added: unknown[] = [];
      for (const passage of passages) added.push(await addPassage(runtime, params.archive, passage));
      return added;
    },
  }),
  on(`delete ${ofArchive}/:passage`, "chat", "Delete a passage of an archive", {
    output: null,
    run: async ({ runtime, params: { archive: id, passage } }) => {
      const isGone = (await isAgent(runtime, id))
        ? await runtime.archival.delete(id, passage)
        : await runtime.sources.deletePassage((await collectionAt(runtime, "archive", id)).id, passage);
      if (!isGone) throw new RequestError("passage_not_found", `The archive has no passage ${passage}.`);
    },
  }),
  on(`get ${ofAgent}`, "read", "List the passages of an agent's archival memory", {
    query: passagesQuery,
    output: z.array(passageRecord.shape),
    run: async ({ runtime, params, query }) => shownPassages(runtime, await pageOfAgent(runtime, params.agent, query)),
  }),
  on(`post ${ofAgent}`, "chat", "Add a passage to an agent's archival memory", {
    body: newPassageRequest,
    output: z.array(passageRecord.shape),
    run: async ({ runtime, params: { agent }, body }) => {
      const { id } = await runtime.archival.add(agent, body.text, detailsOf(body));
      return shownNew(runtime, { id, archiveId: agent }, body);
    },
  }),
  on(`get ${ofAgent}/search`, "read", "Search an agent's archival memory", {
    query: searchQuery,
    output: z.object({ results: z.array(z.looseObject({ id: text })), count: z.int() }),
    run: ({ runtime, params, query }) => searchOfAgent(runtime, params.agent, query),
  }),
  on(`delete ${ofAgent}/:passage`, "chat", "Delete a passage of an agent's archival memory", {
    output: z.object({ message: text }),
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
  on("post /passages/search", "read", "Search the passages of an agent, of an archive, or of all agents", {
    body: searchRequest,
    output: z.array(z.looseObject({ passage: passageRecord.shape })),
    run: ({ runtime, body }) => searchEverywhere(runtime, body),
  }),
];

async function listArchives(runtime: UserRuntime, query: z.output<typeof archivesQuery>): Promise<readonly Archive[]> {
  const { name, agent_id: agent } = query;
  const all: readonly Archive[] =
    agent === undefined
      ? await collectionsOf(runtime, "archive")
      : [await runtime.agents.find(agent), ...(await attachedTo(runtime, "archive", agent))];
  const shown = await shownArchives(runtime, all);
  const kept = all.filter((_archive, at) => name === undefined || shown[at]!.name === name);
  return pageOf(kept, query);
}

async function addPassage(runtime: UserRuntime, id: string, request: z.output<typeof newPassageRequest>) {
  if (request.text.trim() === "") throw invalidArgument("text", "Expected some text, got a blank text.");
  const added = (await isAgent(runtime, id))
    ? await runtime.archival.add(id, request.text, detailsOf(request))
    : await runtime.sources.add((await collectionAt(runtime, "archive", id)).id, request.text, detailsOf(request));
  const [shown] = await shownNew(runtime, { id: added.id, archiveId: id }, request);
  return shown;
}

/** Deletes a passage of an agent's own archive or of an attached one. Throws RequestError `passage_not_found`. */
async function deletePassage(runtime: UserRuntime, agent: string, passage: string): Promise<void> {
  if (await runtime.archival.delete(agent, passage)) return;
  for (const { id } of await attachedTo(runtime, "archive", agent))
    if (await runtime.sources.deletePassage(id, passage)) return;
  throw new RequestError("passage_not_found", `The agent has no passage ${passage}.`);
}
