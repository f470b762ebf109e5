// The sources of a fake runtime: one, with a file that was loaded and one that could not be.
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { SourceLoadResult } from "../../src/runtime/sources/contract.ts";

type Called = (...call: [string, ...unknown[]]) => void;

const at = new Date("2026-11-21T10:13:01.000Z");

const source = {
  id: "source-1",
  name: "handbook",
  description: "how we work",
  metadata: {},
  extensions: {},
  files: 2,
  failed: 1,
  bytes: 123_456,
  passages: 3,
  agents: ["main"],
  agentIds: ["agent-1"],
  createdAt: at,
  loadedAt: at,
} as const;

const sourceFile = {
  id: "file-1",
  path: "/work/docs/a.md",
  kind: "markdown",
  bytes: 120_000,
  sha256: "ab".repeat(32),
  passages: 3,
  status: "loaded",
  reason: null,
  loadedAt: at,
} as const;

const brokenFile = {
  ...sourceFile,
  path: "/work/docs/b.pdf",
  kind: "pdf",
  bytes: 3456,
  passages: 0,
  status: "failed",
  reason: "it is empty",
} as const;

export const fakeSourceLoad: SourceLoadResult = {
  source,
  added: 1,
  changed: 0,
  unchanged: 0,
  failed: [{ name: "docs/b.pdf", reason: "it is empty" }],
  skipped: [],
  gone: [],
  removed: 0,
  passages: 3,
  vectors: { made: 2, missing: 1 },
};

export function createFakeSources(called: Called): Runtime["sources"] {
  const find = (name: string): typeof source => {
    if (name === source.name || name === source.id) return source;
    throw new RequestError("source_not_found", `There is no source "${name}".`);
  };
  return {
    async load(name, inputs, { onProgress, description, prune } = {}) {
      called("sources.load", name, inputs, { description, prune });
      onProgress?.({ phase: "files", filesDone: 1, files: 2, bytesDone: 10, bytes: 20, name: "docs/a.md" });
      onProgress?.({ phase: "files", filesDone: 2, files: 2, bytesDone: 20, bytes: 20, name: "docs/b.pdf" });
      onProgress?.({ phase: "vectors", passagesDone: 2, passages: 3 });
      return fakeSourceLoad;
    },
    list: async () => [source],
    show: async (name) => find(name),
    files: async (name) => (find(name), [sourceFile, brokenFile]),
    removeFile: async (name) => (find(name), true),
    create: async (name) => ({ ...source, name }),
    async update(name, change) {
      called("sources.update", find(name).name, change);
      return { ...source, ...change };
    },
    passages: async (name) => (find(name), []),
    add: async (name) => (find(name), { id: "passage-1", isNew: true }),
    setPassageTags: async (name) => (find(name), true),
    deletePassage: async (name) => (find(name), true),
    delete: async (name) => called("sources.delete", find(name).name),
    async attach(agent, name) {
      called("sources.attach", agent, find(name).name);
      return true;
    },
    attachedFiles: async () => [],
    openFiles: async () => [],
    openFile: async () => [],
    closeFiles: async () => [],
    async detach(agent, name) {
      called("sources.detach", agent, find(name).name);
      return false;
    },
  };
}
