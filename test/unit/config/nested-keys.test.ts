// The nested keys of a configuration file: the settings that each sets, and errors for invalid ones.
import { parseConfig } from "../../../src/config/config.ts";
import { nestedKeys } from "../../../src/config/nested-keys.ts";
import { type Config, configDefaults } from "../../../src/config/settings.ts";
import { ConfigError } from "../../../src/base/errors.ts";

const home = { HOME: "/home/ada" };
const parse = (file: unknown, flags: Readonly<Record<string, string>> = {}, env = {}): Config =>
  parseConfig({ flags, env: { ...home, ...env }, file, filePath: "c.yaml" }).config;

function messageOf(file: unknown, flags: Readonly<Record<string, string>> = {}, env = {}): string {
  try {
    parse(file, flags, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "no error";
}

/** `{ memory: { buffer: { size: 50 } } }` of `memory.buffer.size` and 50. */
function nested(key: string, value: unknown): Record<string, unknown> {
  if (key === "llm.models[].embedding") return { llm: { models: [{ embedding: value }] } };
  return key.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Record<string, unknown>;
}

const server = "postgresql://ada:hunter22@db/palimpsest";

const cases: readonly (readonly [string, unknown, Partial<Config>])[] = [
  [
    "memory.buffer.size",
    20,
    { bufferSize: 20, compaction: "ring", compactMessages: 20, ringEntries: 200, ringBatch: 4 },
  ],
  ["memory.buffer.multiplier", 3, { bufferMultiplier: 3, ringEntries: 150, compactMessages: 50, compaction: "ring" }],
  ["memory.buffer.vector_search", true, { bufferSearch: "meaning", bufferEmbedding: null }],
  ["memory.buffer.vector_search", false, { bufferSearch: "words" }],
  ["memory.buffer.embedding_model", "openai/x", { bufferEmbedding: "openai/x", bufferSearch: "meaning" }],
  ["memory.buffer.embedding_model", "local/all-MiniLM-L6-v2", { bufferEmbedding: "transformers/all-MiniLM-L6-v2" }],
  ["memory.buffer.embedding_model", "local/use-lite", { bufferEmbedding: "local/use-lite" }],
  ["memory.working.max_memory_mb", 25.5, { workingMemory: "process", workingMemoryMegabytes: 25.5 }],
  ["memory.working.fifo_interval_min", 0.5, { workingMemory: "process", workingMemoryMinutes: 0.5 }],
  ["memory.persistent.enabled", false, { archivalMemory: "off" }],
  ["memory.persistent.enabled", true, { archivalMemory: "on" }],
  ["memory.persistent.provider", "embedded", { databaseUrl: null }],
  ["memory.persistent.connection_string", server, { databaseUrl: server }],
  ["memory.persistent.user_isolation", false, { userIsolation: "off", userId: "local" }],
  ["memory.persistent.user_isolation", true, { userIsolation: "on" }],
  ["memory.synopsis.identity_ttl", 600, { synopsis: "on", synopsisLifetimes: { identity: 600, context: 3600 } }],
  ["memory.synopsis.context_ttl", 60, { synopsis: "on", synopsisLifetimes: { identity: 604_800, context: 60 } }],
  ["memory.synopsis.refresh_on_access", false, { synopsis: "on", synopsisRefresh: "by-hand" }],
  ["memory.synopsis.refresh_on_access", true, { synopsis: "on", synopsisRefresh: "on-access" }],
  ["llm.models[].embedding", "local/all-mpnet-base-v2", { embedding: "transformers/all-mpnet-base-v2" }],
];

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  "memory.buffer.size": [1, 2.5, "50", -1, Number.NaN, [], {}, true, 1e9],
  "memory.buffer.multiplier": [0, "ten", 1.5, Number.POSITIVE_INFINITY],
  "memory.buffer.vector_search": ["true", 1, "off"],
  "memory.buffer.embedding_model": ["", "all-MiniLM", "local/", "cohere/x", 5, "a".repeat(1e6)],
  "memory.working.max_memory_mb": [0, 20_000, "10MB"],
  "memory.working.fifo_interval_min": [0, -5, 2000, "5m"],
  "memory.persistent.enabled": ["yes", 0],
  "memory.persistent.provider": ["mysql", "postgres", "", true],
  "memory.persistent.connection_string": ["db.example.org", "mysql://x/y", 5, ""],
  "memory.persistent.user_isolation": ["off", 0, {}],
  "memory.synopsis.identity_ttl": [59, "7 days", 604_800.5],
  "memory.synopsis.context_ttl": [-1, "1h", 1e9],
  "memory.synopsis.refresh_on_access": ["never", 1],
  "llm.models[].embedding": ["use-lite", 7, "</human>"],
};

describe("a nested key", () => {
  it.each(cases)("%s: %j sets settings", (key, value, expected) => {
    expect(parse(nested(key, value))).toMatchObject(expected);
    for (const setting of Object.keys(expected)) {
      const isSaid = setting in configDefaults;
      expect(isSaid).toBe(true);
    }
  });

  it("is in these tests, with invalid values too", () => {
    const known = Object.keys(nestedKeys).sort();
    expect([...new Set(cases.map(([key]) => key))].sort()).toEqual(known);
    expect(Object.keys(wrong).sort()).toEqual(known);
  });

  const wrongOnes = Object.entries(wrong).flatMap(([key, values]) => values.map((value) => [key, value] as const));
  it.each(wrongOnes)("%s reports the expected value for any other", (key, value) => {
    const message = messageOf(nested(key, value));
    const written = key.replace("[]", "[0]");
    expect(message.startsWith(`c.yaml: ${written}: expected ${nestedKeys[key]?.expected ?? "?"}, got `)).toBe(true);
    expect(message.length).toBeLessThan(400);
  });

  it("covers MUXI's whole reference", () => {
    const memory = {
      buffer: { size: 50, multiplier: 10, vector_search: true, embedding_model: "openai/text-embedding-3-small" },
      working: { max_memory_mb: 10, fifo_interval_min: 5 },
      persistent: { enabled: true, provider: "postgresql", connection_string: server, user_isolation: true },
      synopsis: { identity_ttl: 604_800, context_ttl: 3600, refresh_on_access: true },
    };
    expect(parse({ memory })).toEqual({
      ...configDefaults,
      dataDir: "/home/ada/.palimpsest",
      compaction: "ring",
      compactMessages: 50,
      bufferSearch: "meaning",
      bufferEmbedding: "openai/text-embedding-3-small",
      workingMemory: "process",
      databaseUrl: server,
      synopsis: "on",
    });
  });

  it.each([
    [2, 1, 2],
    [3, 1, 2],
    [5, 3, 2],
    [12, 10, 2],
    [50, 10, 10],
    [1000, 10, 10],
  ])("memory.buffer.size %i leaves room to summarize: %i stay, %i leave", (size, keepLast, ringBatch) => {
    expect(parse({ memory: { buffer: { size } } })).toMatchObject({ keepLast, ringBatch });
  });

  it("is overridden by a setting that is only derived from it", () => {
    const memory = { buffer: { size: 20 } };
    expect(parse({ memory, keepLast: 5, ringBatch: 3 })).toMatchObject({ keepLast: 5, ringBatch: 3 });
    expect(messageOf({ memory, keepLast: 20 })).toBe(
      "c.yaml: memory.buffer.size: expected more than c.yaml: keepLast (20), so that there is something to summarize, got 20.",
    );
  });

  it("is overridden by the environment, which a flag overrides", () => {
    const memory = { persistent: { connection_string: server }, synopsis: { context_ttl: 60 } };
    expect(parse({ memory }, {}, { DATABASE_URL: "postgres://env/x" }).databaseUrl).toBe("postgres://env/x");
    expect(
      parse({ memory }, { "database-url": "embedded" }, { DATABASE_URL: "postgres://env/x" }).databaseUrl,
    ).toBeNull();
    expect(parse({ memory }, { synopsis: "off" }).synopsis).toBe("off");
  });
});

describe("a section", () => {
  it.each([
    [{ working: true }, { workingMemory: "process" }],
    [{ working: {} }, { workingMemory: "process" }],
    [{ working: false }, { workingMemory: "off" }],
    [{ synopsis: {} }, { synopsis: "on" }],
    [{ synopsis: false }, { synopsis: "off" }],
    [{ synopsis: null, working: null, buffer: null, persistent: null }, configDefaults],
    [{ buffer: {} }, { compaction: "ring", compactMessages: 50, ringEntries: 500, bufferSearch: "off" }],
    [{ persistent: {} }, configDefaults],
  ])("%j enables or disables it", (memory, expected) => {
    expect(parse({ memory })).toMatchObject(expected);
  });

  it.each([
    [{ memory: [] }, "memory: expected a section with buffer, working, persistent, synopsis, got []."],
    [{ memory: "all" }, "memory: expected a section"],
    [
      { memory: { working: "on" } },
      'memory.working: expected a section with max_memory_mb, fifo_interval_min, or true or false, got "on"',
    ],
    [
      { memory: { buffer: 50 } },
      "memory.buffer: expected a section with size, multiplier, vector_search, embedding_model, got 50",
    ],
    [{ memory: { buffer: false } }, "memory.buffer: expected a section"],
    [{ llm: { models: {} } }, "llm.models: expected a list such as"],
    [{ llm: { models: ["x"] } }, 'llm.models[0]: expected a section with embedding, got "x"'],
    [{ memory: { buffer: { sise: 1 } } }, 'unknown key "memory.buffer.sise". Did you mean "memory.buffer.size"?'],
    [{ memory: { sinopsis: {} } }, 'unknown key "memory.sinopsis". Did you mean "memory.synopsis"?'],
    [{ memory: { persistent: { x: 1 } } }, "Known keys: enabled, provider, connection_string, user_isolation."],
    [{ memry: {} }, 'unknown key "memry". Did you mean "memory"?'],
    [JSON.parse('{"memory": {"__proto__": {"size": 5}}}'), 'unknown key "memory.__proto__"'],
    [{ llm: { models: [{ text: "x" }] } }, 'unknown key "llm.models[0].text". Known keys: embedding.'],
    [
      { llm: { models: [{ embedding: "none" }, { embedding: "none" }] } },
      "llm.models[1].embedding: expected this key once, got it twice",
    ],
  ])("%j is refused by its name", (file, expected) => {
    expect(messageOf(file)).toContain(expected);
  });
});

describe("a contradiction", () => {
  it.each([
    [{ synopsis: "off", memory: { synopsis: {} } }, ["synopsis", "memory.synopsis"]],
    [{ workingMemory: "off", memory: { working: { max_memory_mb: 5 } } }, ["workingMemory", "memory.working"]],
    [{ workingMemory: "process", memory: { working: false } }, ["workingMemory", "memory.working"]],
    [{ compactMessages: 30, memory: { buffer: { size: 20 } } }, ["compactMessages", "memory.buffer.size"]],
    [{ compaction: "truncate", memory: { buffer: {} } }, ["compaction", "memory.buffer"]],
    [{ ringEntries: 9, memory: { buffer: { multiplier: 2 } } }, ["ringEntries", "memory.buffer.multiplier"]],
    [
      { embedding: "none", llm: { models: [{ embedding: "local/use-lite" }] } },
      ["embedding", "llm.models[0].embedding"],
    ],
    [
      { synopsisLifetimes: { identity: 60, context: 60 }, memory: { synopsis: { context_ttl: 90 } } },
      ["synopsisLifetimes", "memory.synopsis.context_ttl"],
    ],
    [
      { databaseUrl: "postgres://one/x", memory: { persistent: { connection_string: "postgres://two/x" } } },
      ["databaseUrl", "memory.persistent.connection_string"],
    ],
    [
      { databaseUrl: "postgres://one/x", memory: { persistent: { provider: "embedded" } } },
      ["databaseUrl", "memory.persistent.provider"],
    ],
  ])("%j is an error with both names", (file, [one = "", other = ""]) => {
    const message = messageOf(file);
    expect(message).toMatch(/ contradicts .*Remove one of them\.$/u);
    expect(message).toContain(`c.yaml: ${one}`);
    expect(message).toContain(`contradicts ${other}`);
    expect(message).not.toContain("postgres://");
  });

  it("is not an equal value, or a more specific one", () => {
    const memory = { working: {}, synopsis: { context_ttl: 90 }, buffer: { size: 20 } };
    const flat = { workingMemory: "refilled", synopsisLifetimes: { identity: 60, context: 90 }, compactMessages: 20 };
    expect(parse({ memory, ...flat })).toMatchObject(flat);
    const searched = { buffer: { vector_search: false, embedding_model: "openai/x" } };
    expect(parse({ memory: searched }).bufferSearch).toBe("words");
  });

  it("has more entries than a ring can have", () => {
    expect(messageOf({ memory: { buffer: { size: 10_000, multiplier: 10_000 } } })).toContain(
      "memory.buffer.multiplier: expected size × multiplier to be at most 10000000, got 10000 × 10000",
    );
  });
});

describe("memory.persistent", () => {
  it("says what to write instead of sqlite", () => {
    const message = messageOf(nested("memory.persistent.provider", "sqlite"));
    expect(message).toMatch(
      /^c\.yaml: memory\.persistent\.provider: expected "postgresql" or "embedded", got "sqlite".*without a server\.$/u,
    );
  });

  it("needs an address for postgresql, in any key", () => {
    const file = { memory: { persistent: { provider: "postgresql" } } };
    expect(messageOf(file)).toContain("expected memory.persistent.connection_string, such as postgresql://");
    expect(parse(file, {}, { DATABASE_URL: server }).databaseUrl).toBe(server);
    expect(parse(file, { "database-url": "embedded" }).databaseUrl).toBeNull();
    expect(parse({ ...file, databaseUrl: server }).databaseUrl).toBe(server);
  });

  it("has no address for embedded", () => {
    const persistent = { provider: "embedded", connection_string: server };
    expect(messageOf({ memory: { persistent } })).toContain("memory.persistent.connection_string names one");
    expect(messageOf({ memory: { persistent } })).not.toContain("hunter22");
  });

  it.each([
    ["--user", {}, { user: "ada" }, {}],
    ["PALIMPSEST_USER", {}, {}, { PALIMPSEST_USER: "ada" }],
    ["c.yaml: userId", { userId: "ada" }, {}, {}],
  ])("with one user for all refuses %s", (name, more, flags, env) => {
    const file = { ...more, memory: { persistent: { user_isolation: false } } };
    expect(messageOf(file, flags, env)).toBe(
      `${name} names a user, but c.yaml: memory.persistent.user_isolation gives everyone the same user. Remove one of them.`,
    );
  });
});
