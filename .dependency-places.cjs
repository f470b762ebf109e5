// The places of the source, and which of them may import which (docs/adr/0002). `.dependency-cruiser.cjs` makes rules of them.
// Each place: where it is (`at`), which other places it may import (`may`), which npm packages (`npm`), and which of
// Node's own modules (`node`). A file may always import its own place. A file that belongs to no place may import nothing.

const { adapters, basics } = require("./.dependency-adapters.cjs");

const ports = ["model", "embedder", "reranker", "objects", "tokens"];
/** Node's modules that read and write files. */
const nodeFiles = ["fs", "fs/promises", "path"];
const frontEnd = ["runtime", "agent-face", "window-words", "surface-words", ...basics];

const places = {
  // The bottom: no knowledge of agents.
  errors: { at: "src/(errors|error-codes)\\.ts", may: ["base"] },
  message: { at: "src/message/", may: ["errors", "base"] },
  "surface-words": { at: "src/surface-words\\.ts", may: ["agent-face", "runtime", "settings", "base"] },
  "window-words": { at: "src/window-words\\.ts" },
  "search-view": { at: "src/search-view/", may: ["base"] },
  arguments: { at: "src/arguments/", may: ["errors", "base"] },
  base: { at: "src/base/", node: ["crypto", "fs", "fs/promises", "net", "path", "timers/promises", "url"] },
  prompts: { at: "src/prompts/", may: ["errors", "base"], node: ["fs", "fs/promises", "path", "url"] },

  // Ports, and tools as a notion.
  model: {
    at: "src/llm/(model|model-provider|small-model|with-request-settings|with-stream)\\.ts",
    may: basics,
    npm: ["zod"],
  },
  embedder: { at: "src/embedding/embedder\\.ts", may: basics, npm: ["zod"] },
  reranker: { at: "src/reranking/reranker\\.ts" },
  objects: { at: "src/objects/objects\\.ts", may: basics, npm: ["zod"] },
  tokens: { at: "src/tokens/", may: basics, npm: ["zod", "tiktoken"], node: ["module"] },
  tool: {
    at: "src/tool/",
    may: basics,
    npm: ["zod", "zod-to-json-schema", "jsonrepair"],
    node: ["module"],
  },

  // Adapters of the ports.
  ...adapters,

  // Reading what is to be attached.
  files: {
    at: "src/files/",
    may: basics,
    npm: ["file-type", "image-size"],
    node: ["fs/promises", "path", "zlib"],
  },

  // Memory and the window: effects only through ports. Hashing and packing are pure: node:crypto and node:zlib are allowed.
  "memory-store": {
    at: "src/memory/(store|opening-store|turn-store|turn-event-store|turn-record-store|left-turn-store|step-store|compaction-store|attachment-store|embedder-store|forgetting-store|node-memory-store|passage-store|attached-file-store|identity-store|page|search-weights|pg-pool|records|agent-name|context-report|backup|inspection|upkeep|source-store|recall-store|schedule-store|stored-tool-store|mcp-server-store|shared-module-store|key-store|synopsis-store|transfer-store)\\.ts",
    may: ["memory", "objects", "settings", ...basics],
  },
  memory: {
    at: "src/memory/(?!((turn|step|compaction|attachment|embedder|forgetting|node-memory|passage|source|synopsis)-)?store\\.ts).+",
    may: ["memory-store", ...ports, "tool", "prompts", ...basics],
    npm: ["zod"],
    node: ["crypto", "zlib"],
  },
  context: {
    at: "src/context/",
    may: [...ports, "memory-store", "tool", "prompts", ...basics],
    npm: ["zod"],
    node: ["crypto"],
  },
  // Short-term memory for programs that drive a model themselves.
  buffer: {
    at: "src/buffer/",
    may: ["context", ...ports, "memory-store", "prompts", ...basics],
    npm: ["zod"],
    node: ["crypto"],
  },
  // Forms of what comes from other programs, and of agent files: pure.
  transfer: { at: "src/transfer/", may: ["memory-store", ...basics], npm: ["zod"], node: ["crypto"] },
  // Reads the database of Letta's server. Loaded only to import it.
  "letta-database": {
    at: "src/letta-database/",
    may: ["transfer", ...basics],
    npm: ["postgres", "zod"],
  },
  // Reads the files that other programs export. Loaded when the first one is imported.
  "import-files": {
    at: "src/import-files/",
    may: ["transfer", ...basics],
    npm: ["@streamparser/json", "yauzl"],
    node: ["fs/promises", "path"],
  },
  // Work on input that nobody has checked, in processes of its own.
  confined: { at: "src/confined/", may: basics, node: ["child_process", "os", "path", "worker_threads"] },
  sources: {
    at: "src/sources/",
    may: ["confined", "memory", "memory-store", "embedder", "tokens", ...basics],
    npm: ["parse5", "picomatch", "unpdf"],
    node: ["crypto", "fs", "fs/promises", "path", "timers/promises", "url"],
  },

  // Runs source code that users have stored, in processes of its own.
  sandbox: { at: "src/sandbox/", may: ["tool", ...basics], node: ["child_process", "fs", "fs/promises", "os", "path"] },
  // The agent. Its events and its interface stand apart, because front ends may see them and nothing else of it.
  "agent-face": {
    at: "src/agent/(agent|events|turn-options)\\.ts",
    may: ["memory", "memory-store", "message", "tool", "errors"],
    typesOnly: true,
  },
  agent: {
    at: "src/agent/(?!agent\\.ts|events\\.ts|turn-options\\.ts).+",
    may: ["agent-face", "memory", "memory-store", "context", "tool", ...ports, "prompts", ...basics],
    node: ["crypto"],
  },
  // Spans of turns, from their events. Loaded only if it is asked for.
  telemetry: {
    at: "src/telemetry/",
    may: ["agent", "agent-face", "message"],
    npm: ["@opentelemetry/api"],
  },
  tools: { at: "tools/", may: ["tool", "memory", "memory-store", "errors"], npm: ["zod"] },

  store: {
    at: "src/store/",
    may: ["memory-store", "objects", "settings", ...basics],
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

  // Putting together. `runtime` is types: what a front end can ask for; `compose` makes one.
  config: {
    at: "src/config(\\.ts|/(?!zod\\.ts|settings(\\.ts|/)).+)",
    may: ["settings", "setting-forms", "errors", "base"],
    npm: ["zod"],
    node: ["util"],
  },
  // What can be configured. Loaded for help: zod is given to it, and it takes only zod's types.
  settings: { at: "src/config/settings(\\.ts|/)", may: ["base"], npm: ["zod"] },
  // The part of zod that is given to them.
  "setting-forms": { at: "src/config/zod\\.ts", may: ["settings"], npm: ["zod"] },
  // What of a configuration is read from files.
  "config-file": {
    at: "src/config-file/",
    may: ["config", "settings", "arguments", "errors", "base"],
    npm: ["yaml"],
    node: ["fs/promises", "path"],
  },
  runtime: {
    at: "src/runtime/",
    may: ["agent", "agent-face", "memory", "memory-store", "context", "buffer", "tool", "message", "errors"],
    typesOnly: true,
  },
  // What a Runtime does, over ports: it knows no implementation.
  operations: {
    at: "src/operations/",
    may: [
      "runtime",
      "window-words",
      "settings",
      "setting-forms",
      "agent",
      "agent-face",
      "memory",
      "memory-store",
      "context",
      "buffer",
      "tool",
      "transfer",
      "llm-written",
      ...ports,
      "prompts",
      ...basics,
    ],
    npm: ["croner", "zod"],
    node: ["fs/promises", "path"],
  },
  compose: {
    at: "src/compose(\\.ts|/)",
    may: [
      ...basics,
      ...ports,
      "prompts",
      "tool",
      "llm-shared",
      "llm-retry",
      "llm-own",
      "llm-anthropic",
      "llm-openai",
      "llm-gguf",
      "llm-servers",
      "llm-demo",
      "providers",
      "embedding-shared",
      "embedding-openai",
      "embedding-local",
      "embedding-transformers",
      "objects-adapters",
      "files",
      "import-files",
      "memory",
      "memory-store",
      "context",
      "buffer",
      "mcp-client",
      "letta-database",
      "sandbox",
      "sources",
      "agent",
      "agent-face",
      "telemetry",
      "tools",
      "store",
      "config",
      "settings",
      "operations",
      "reranking",
      "reranking-transformers",
      "runtime",
    ],
    npm: ["zod"],
    node: ["crypto", "fs", "fs/promises", "os", "path", "url"],
  },

  // What headless mode writes and reads, as schemas: a program that drives it imports them.
  // Measures searches and answers of a Runtime on cases.
  eval: {
    at: "src/eval/",
    may: ["runtime", "agent-face", "model", "prompts", "tokens", ...basics],
    npm: ["zod"],
    node: ["fs", "path", "perf_hooks"],
  },
  "ui-stream": { at: "src/ui-stream/", may: ["agent-face", "memory-store", "message"] },
  headless: { at: "src/headless/", may: ["agent-face", "errors"], npm: ["zod"] },

  // Front ends: a Runtime, events, messages, errors. Only cli loads tui, and only by `await import()`.
  tui: {
    at: "src/tui/",
    may: frontEnd,
    npm: ["chalk", "get-east-asian-width", "ink", "marked", "react", "sugar-high"],
  },
  cli: {
    at: "src/cli/",
    may: [...frontEnd, "headless", "settings", "eval"],
    lazily: ["tui", "server", "mcp"],
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
  server: {
    at: "src/server/",
    may: [...frontEnd, "ui-stream"],
    npm: ["zod", "hono", "@hono/node-server"],
    node: ["crypto", "fs/promises", "http", "net", "path"],
  },
  mcp: {
    at: "src/mcp/",
    may: [...frontEnd, "search-view"],
    npm: ["zod", "@modelcontextprotocol/server"],
    node: ["stream"],
  },
  // Connections to the MCP servers of others. Loaded only if some are configured.
  "mcp-client": {
    at: "src/mcp-client/",
    may: ["tool", "settings", ...basics],
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
  // Types only of the server: a test says which modules its bundle has.
  client: { at: "src/client/", may: ["server", "agent-face"], npm: ["eventsource-parser"] },
  // A page that browsers run. Of memory-store and eval only types: `check:inspector` says which modules its bundle has.
  inspector: {
    at: "src/inspector/",
    may: ["client", "agent-face", "memory-store", "eval", "message", "window-words", "search-view", "base"],
    npm: ["preact"],
  },
  bin: {
    at: "bin/",
    may: ["base", "cli", "config", "settings", "config-file", "compose", "eval"],
    node: ["os", "process"],
  },

  // What users import: re-exports and nothing else, a file for each entry of the package.
  "exports-main": {
    at: "src/exports/(?:index|runtime)\\.ts",
    may: [
      ...basics,
      ...ports,
      "tool",
      "memory",
      "memory-store",
      "context",
      "agent-face",
      "config",
      "settings",
      "config-file",
      "compose",
      "runtime",
    ],
  },
  "exports-buffer": { at: "src/exports/buffer\\.ts", may: ["buffer"] },
  "exports-node-memory": {
    at: "src/exports/node-memory\\.ts",
    may: ["context", "memory", "memory-store", "runtime"],
  },
  "exports-working-memory": { at: "src/exports/working-memory\\.ts", may: ["memory"] },
  "exports-query-planner": { at: "src/exports/query-planner\\.ts", may: ["memory"] },
  "exports-client": { at: "src/exports/client\\.ts", may: ["client"] },
  "exports-headless": { at: "src/exports/headless\\.ts", may: ["headless"] },
  "exports-ai-sdk": { at: "src/exports/ai-sdk\\.ts", may: ["ui-stream"] },
  "exports-testing": { at: "src/exports/testing\\.ts", may: ["llm-scripted"] },
};

module.exports = { places };
