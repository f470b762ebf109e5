// Creates the operations on archival memory outside of a turn: search, add, read, export and import.
// Invariant: searches find what the model's tools find, and a refused request stores nothing.
import { storableText } from "../../base/code-points.ts";
import { inputInvalid } from "../../base/errors.ts";
import type { ListRange } from "../../store/port/page.ts";
import {
  type NewPassage,
  passageLengthFault,
  type PassageKind,
  type PassageRecord,
} from "../../store/port/passage-store.ts";
import { searchPageSize } from "../../memory/recall/recall-search.ts";
import type { ArchivalOperations, ArchivalOptions, PassageInput, PassageListOptions } from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { causeOfWriter } from "../memory/edit-module.ts";
import { evictPassages } from "../retention/retention-operations.ts";

type ArchivalDeps = Pick<OperationDeps, "store" | "defaults" | "memories" | "ids" | "clock" | "log">;

/** Passages per query during an export. */
const exportBatchSize = 100;

const defaultListing = 20;

const check = inputChecks("A passage");

const kinds: readonly PassageKind[] = ["memory", "fact", "document"];

export function createArchivalOperations(deps: ArchivalDeps): ArchivalOperations {
  const { store } = deps;
  return {
    async list(name, options = {}) {
      const range = passageRange(options);
      const agent = await findReadable(deps, name);
      return store.passages.list(agent.id, range);
    },

    async count(name) {
      const { id } = await findReadable(deps, name);
      return store.passages.count(id);
    },

    async search(name, query, { page = 0, pageSize = searchPageSize, ...options } = {}) {
      checkOptions(options);
      const agent = await findReadable(deps, name);
      return deps.memories.archiveOf(agent).search({ ...options, query, page, pageSize });
    },

    async add(name, text, { by, ...details } = {}) {
      const passage = newPassage({ ...details, text }, deps);
      const agent = await findAgent(deps, name);
      const { origin, trust = "user" } = causeOfWriter(by);
      const added = await store.passages.addOne({ agentId: agent.id }, { ...passage, trust }, origin);
      deps.memories.archiveOf(agent).embedPending();
      await evictPassages(deps, agent);
      return added;
    },

    async import(name, inputs) {
      const passages = inputs.map((input) => newPassage(input, deps));
      const agent = await findAgent(deps, name);
      const added = await store.passages.add(agent.id, passages, "import");
      deps.memories.archiveOf(agent).embedPending();
      await evictPassages(deps, agent);
      return added;
    },

    export: (name) => exportPassages(deps, name),

    async setTags(name, passageId, tags) {
      const checked = check.tags(tags);
      const { id: agentId } = await findAgent(deps, name);
      return store.passages.setTags({ agentId }, passageId, checked);
    },

    async delete(name, passageId) {
      const agent = await findReadable(deps, name);
      return store.passages.delete(agent.id, passageId);
    },
  };
}

export function passageRange(options: PassageListOptions): ListRange {
  check.range(options);
  return { order: "newest", limit: defaultListing, ...options };
}

async function* exportPassages(
  deps: Pick<OperationDeps, "store" | "defaults">,
  name: string,
): AsyncGenerator<PassageRecord, void> {
  const agent = await findReadable(deps, name);
  let last: string | null = null;
  while (true) {
    const passages: readonly PassageRecord[] = await deps.store.passages.after(agent.id, last, exportBatchSize);
    yield* passages;
    last = passages.at(-1)?.id ?? null;
    if (passages.length < exportBatchSize) return;
  }
}

export function newPassage(
  { text: given, tags = [], kind = "memory", importance, at }: PassageInput,
  { ids, clock }: Pick<OperationDeps, "ids" | "clock">,
): NewPassage {
  // The length is checked first, because the time of every other check grows with it.
  const fault = passageLengthFault(given);
  if (fault !== null) throw inputInvalid(`Expected ${fault}. Load the text as a file of a source.`);
  const text = storableText(given);
  if (text.trim() === "") throw inputInvalid("Expected some text to store, got a blank text.");
  checkKind(kind);
  if (importance !== undefined) checkImportance(importance);
  return {
    id: ids.next(),
    text,
    tags: tags.map(storableText),
    kind,
    at: at ?? clock.now(),
    ...(importance === undefined ? {} : { importance }),
  };
}

function checkOptions({ kinds: wanted = [], minImportance, weights = {} }: ArchivalOptions): void {
  wanted.forEach(checkKind);
  if (minImportance !== undefined) checkImportance(minImportance);
  for (const [name, weight] of Object.entries(weights)) {
    if (!(Number.isFinite(weight) && weight >= 0)) {
      throw inputInvalid(`Expected the weight "${name}" to be a number of at least 0, got ${weight}.`);
    }
  }
}

function checkKind(kind: string): void {
  if (!kinds.some((known) => known === kind))
    throw inputInvalid(`Expected one of the kinds ${kinds.join(", ")}, got "${kind}".`);
}

function checkImportance(importance: number): void {
  if (!(importance >= 0 && importance <= 1)) {
    throw inputInvalid(`Expected an importance from 0 to 1, got ${importance}.`);
  }
}
