// Finds every place that holds content of the user, and removes the content from all of them.
// Invariant: a preview and a forgetting find places with the same code; no cache of this process restores forgotten
// content.
import { countLetters, createRedactor, minLetters, type Redactor } from "../../base/redactor.ts";
import { inputInvalid, RequestError } from "../../base/errors.ts";
import type { ForgettingOrigin, ForgettingRequest, PendingForgetting } from "../../store/port/forgetting-store.ts";
import { defaultSystemPrompt } from "../../context/prompts/load-prompt.ts";
import type { ForgetOperations, ForgetPreview, ForgetRequest, Forgotten, SimilarText } from "./contract.ts";
import { deleteObjects } from "../operations/delete-objects.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { type ObjectFindings, searchObjects } from "./search-objects.ts";
import { createRecallSearch } from "../../memory/recall/recall-search.ts";
import type { SearchHit } from "../../tool/tool.ts";
import { meaningDeps } from "../operations/agent-memories.ts";

export type ForgetDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "embedders" | "reranker" | "memories" | "backFill" | "files" | "ids" | "clock" | "log"
>;

const defaultListing = 50;

export function createForgetOperations(deps: ForgetDeps): ForgetOperations {
  const { store } = deps;
  return {
    async preview(asked) {
      const request = requireForgettable(asked);
      const texts = await store.forgetting.textsOf(request);
      const redactor = createRedactor(texts, request.texts);
      const objects = await searchObjects(deps, { redactor, request, writes: false });
      const places = await store.forgetting.find(request, objects);
      return {
        texts,
        places,
        similar: await findSimilar(deps, request, redactor),
        outOfReach: await outOfReach(deps, objects),
      };
    },

    async apply(asked, { origin = "api" } = {}) {
      const request = requireForgettable(asked);
      // Deferred forgettings are not exact, so they are applied before an exact one, not together with it.
      if (request.exact === true) await forgetDeferred(deps);
      const pending = request.exact === true ? [] : await store.forgetting.pending();
      return forgetNow(deps, { request, id: deps.ids.next(), origin, pending });
    },

    list: (limit = defaultListing) => store.forgetting.list(limit),
  };
}

/** Applies all deferred forgettings as one forgetting. Its record has the id of the first deferred forgetting. */
export async function forgetDeferred(deps: ForgetDeps): Promise<void> {
  const pending = await deps.store.forgetting.pending();
  const [first] = pending;
  if (first === undefined) return;
  const request = { texts: [], messages: [], passages: [], kept: ownPrompts() };
  await forgetNow(deps, { request, id: first.id, origin: "model", pending });
}

interface ForgettingNow {
  readonly request: ForgettingRequest;
  readonly id: string;
  readonly origin: ForgettingOrigin;
  /** Deferred forgettings that are applied together with this one. Their texts are deleted once they are applied. */
  readonly pending: readonly PendingForgetting[];
}

/** Maximum attempts. An attempt fails if files or node memories are written during its search. */
const maxAttempts = 5;

async function forgetNow(deps: ForgetDeps, { request: asked, id, origin, pending }: ForgettingNow): Promise<Forgotten> {
  const { store, clock } = deps;
  const request = { ...asked, texts: [...asked.texts, ...pending.flatMap(({ texts }) => texts)] };
  const record = { id, origin, requestedAt: clock.now() };
  const texts = await store.forgetting.textsOf(request);
  const redactor = createRedactor(texts, request.texts);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const objects = await searchObjects(deps, { redactor, request, writes: true });
    const places = await store.forgetting.apply({
      request,
      objects,
      record,
      pending: pending.map((one) => one.id),
    });
    if (places === null) continue;
    await forgetInProcess(deps);
    return { id: places.length === 0 ? null : id, texts, places, outOfReach: await outOfReach(deps, objects) };
  }
  throw new RequestError(
    "agent_busy",
    "Files or node memories were written while they were searched, several times. Nothing was forgotten: try again.",
  );
}

/**
 * Empties the caches of this process and, after the commit, deletes objects outside of the database. If the deletion is
 * interrupted, the next deletion deletes the remaining objects.
 */
async function forgetInProcess(deps: ForgetDeps): Promise<void> {
  deps.memories.empty();
  await deleteObjects(deps);
  deps.backFill.wake();
}

const maxTexts = 100;
const maxLength = 10_000;

/** Returns the default prompts of both protocols, which a forgetting must not change. */
function ownPrompts(): readonly string[] {
  return [defaultSystemPrompt("native"), defaultSystemPrompt("heartbeat")];
}

/** Returns the validated request for the store. Throws RequestError `input_invalid`. */
export function requireForgettable({
  texts = [],
  messages = [],
  passages = [],
  exact = false,
}: ForgetRequest): ForgettingRequest {
  if (texts.length + messages.length + passages.length === 0)
    throw inputInvalid("Expected a text, a message or a passage to forget, got none.");
  if (texts.length > maxTexts) throw inputInvalid(`Expected at most ${maxTexts} texts to forget, got ${texts.length}.`);
  for (const text of texts) {
    const letters = countLetters(text);
    if (letters < minLetters)
      throw inputInvalid(`A text to forget needs at least ${minLetters} letters or digits, got ${letters}.`);
    if (text.length > maxLength)
      throw inputInvalid(`A text to forget has at most ${maxLength} characters, got ${text.length}.`);
  }
  return { texts: texts.map((text) => text.trim()), messages, passages, exact, kept: ownPrompts() };
}

async function outOfReach(
  { store }: Pick<ForgetDeps, "store">,
  { unreachable, notText }: Pick<ObjectFindings, "unreachable" | "notText">,
): Promise<ForgetPreview["outOfReach"]> {
  const sharedWith = (await store.usage.count())?.sharedWith ?? 0;
  return [
    "Backups, exports and logs that were written before still contain it, and so does what was sent to a provider.",
    "The database's own files can contain deleted rows until they are vacuumed and their log is recycled (docs/forgetting.md).",
    ...(sharedWith === 0 ? [] : [`Other users (${sharedWith}) use your agents: their data was not searched.`]),
    ...(notText === 0 ? [] : [`Files that are not text (${notText}) were not searched: remove their messages by id.`]),
    ...(unreachable === 0
      ? []
      : [
          `Objects (${unreachable}) are missing or in another storage than the setting \`objects\` names: they were not searched.`,
        ]),
  ];
}

type SimilarDeps = Pick<OperationDeps, "store" | "embedders" | "reranker" | "memories" | "backFill" | "log">;

/** Limits of the search for similar texts: hits per search, and the number of texts and agents that are searched. */
const hitsOfSearch = 5;
const maxSearched = 3;
const maxAgents = 10;

/**
 * Finds messages and passages that are similar to a text to forget but do not contain it, with the searches that the model's
 * tools use. A failed search counts as no hits and never prevents a forgetting.
 */
async function findSimilar(
  deps: SimilarDeps,
  { texts, messages, passages }: ForgettingRequest,
  redactor: Redactor,
): Promise<readonly SimilarText[]> {
  const agents = texts.length === 0 ? [] : (await deps.store.agents.list()).slice(0, maxAgents);
  const found = new Map<string, SimilarText>();
  for (const agent of agents) {
    const scope = {
      agentId: agent.id,
      timeZone: agent.settings.timeZone,
      pageSize: hitsOfSearch,
      includeAbandoned: true,
    };
    const recall = createRecallSearch(deps.store.recall, { ...scope, ...meaningDeps(deps, agent.id) });
    const archive = deps.memories.archiveOf(agent);
    for (const text of texts.slice(0, maxSearched)) {
      const said = await hitsOf(recall.search(text, 0));
      const searched = { query: text, page: 0, pageSize: hitsOfSearch, countsAccesses: false };
      const kept = await hitsOf(archive.search(searched));
      for (const hit of said) found.set(hit.id, similarOf("message", hit));
      for (const hit of kept) found.set(hit.id, similarOf("passage", hit));
    }
  }
  const isAsked = ({ id }: SimilarText) => messages.includes(id) || passages.includes(id);
  return [...found.values()].filter((one) => !isAsked(one) && !redactor.has(one.text));
}

async function hitsOf(search: Promise<{ readonly hits: readonly SearchHit[] }>): Promise<readonly SearchHit[]> {
  return search.then(
    ({ hits }) => hits,
    () => [],
  );
}

function similarOf(kind: SimilarText["kind"], { id, text, at }: SearchHit): SimilarText {
  return { kind, id, text, at };
}
