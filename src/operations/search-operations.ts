// Recall and archival memory as people and programs search and fill them, outside of a turn.
// Invariant: what is found here is what the model's tools find.
import { storableText } from "../base/code-points.ts";
import { RequestError } from "../errors.ts";
import { createRecallSearch, searchPageSize } from "../memory/recall/recall-search.ts";
import type { RecallOptions, Runtime } from "../runtime.ts";
import { evictPassages } from "./retention-operations.ts";
import { archiveOf, findAgent, type OperationParts } from "./operation-parts.ts";

export function createRecallOperations(parts: OperationParts): Runtime["recall"] {
  const recallOf = async (name: string, { pageSize = searchPageSize, includeAbandoned = false }: RecallOptions) => {
    const { id: agentId, settings } = await findAgent(parts, name);
    return createRecallSearch(parts.store.recall, {
      agentId,
      timeZone: settings.timeZone,
      pageSize,
      includeAbandoned,
    });
  };
  return {
    search: async (name, query, options = {}) => (await recallOf(name, options)).search(query, options.page ?? 0),
    searchDate: async (name, { start, end }, options = {}) =>
      (await recallOf(name, options)).searchDate(start, end, options.page ?? 0),
  };
}

export function createArchivalOperations(parts: OperationParts): Runtime["archival"] {
  const { store, ids } = parts;
  return {
    async list(name, { page = 0, pageSize = 20 } = {}) {
      const agent = await findAgent(parts, name);
      return store.passages.list(agent.id, { page, pageSize });
    },

    async search(name, query, { page = 0, pageSize = searchPageSize } = {}) {
      const agent = await findAgent(parts, name);
      return archiveOf(parts, agent).search({ query, page, pageSize });
    },

    async add(name, content, { tags = [] } = {}) {
      const agent = await findAgent(parts, name);
      const text = storableText(content);
      if (text.trim() === "") throw new RequestError("input_invalid", "Expected some text to store, got a blank one.");
      const passage = { id: ids.next(), content: text, tags: tags.map(storableText), kind: "memory" as const };
      const added = await store.passages.add(agent.id, [passage], "user");
      archiveOf(parts, agent).embedPending();
      await evictPassages(parts, agent);
      return added > 0;
    },

    async delete(name, passageId) {
      const agent = await findAgent(parts, name);
      return store.passages.delete(agent.id, passageId);
    },
  };
}
