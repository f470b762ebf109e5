// Embedders of agents as a fake runtime has them: one that is searched, one being built, one kept.
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { fakeTime } from "./fake-records.ts";

type Embeddings = Runtime["embeddings"];
type AgentEmbeddings = Awaited<ReturnType<Embeddings["list"]>>[number];

export const fakeEmbeddings: AgentEmbeddings = {
  agent: { id: "agent-main", name: "main" },
  searched: { embedder: "local/use-lite", dimensions: 512, since: null, texts: 1204, missing: 0 },
  building: null,
  kept: { embedder: "openai/text-embedding-3-small", dimensions: 1536, since: fakeTime, texts: 1204, missing: 4 },
  dropping: [],
};

/** Three calls of two texts each, then the switch. */
export function createFakeEmbeddings(called: (...call: [string, ...unknown[]]) => void): Embeddings {
  const find = (names: readonly string[] | undefined): void => {
    const unknown = names?.find((name) => name !== "main");
    if (unknown !== undefined) throw new RequestError("agent_not_found", `There is no agent "${unknown}".`);
  };
  return {
    async list(agents) {
      find(agents);
      called("embeddings.list", agents);
      return [fakeEmbeddings];
    },
    async reembed({ onProgress, signal, ...options }) {
      find(options.agents);
      called("embeddings.reembed", options);
      for (const done of [2, 4, 6]) {
        signal?.throwIfAborted();
        onProgress?.({ done, texts: 6 });
      }
      const to = { embedder: options.to, dimensions: 384 };
      return { to, agents: ["main"], already: [], made: 5, refused: 1 };
    },
    async rollback(agents) {
      called("embeddings.rollback", agents);
      return [fakeEmbeddings];
    },
    async dropOld({ agents, onProgress } = {}) {
      called("embeddings.dropOld", agents);
      onProgress?.({ deleted: 1000 });
      return { agents: ["main"], deleted: 1204 };
    },
    async abandon({ agents } = {}) {
      called("embeddings.abandon", agents);
      return { agents: [], deleted: 0 };
    },
  };
}
