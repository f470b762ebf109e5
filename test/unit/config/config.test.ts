// The sources of settings, their precedence, and errors for invalid ones.
import { configOf, type ConfigSources, dataDirOf, parseConfig } from "../../../src/config/config.ts";
import { type Config, configDefaults, settingKeys, settings } from "../../../src/config/settings.ts";
import { shape } from "../../../src/config/shape.ts";
import { ConfigError } from "../../../src/base/errors.ts";

const parse = (sources: Partial<ConfigSources>): Config =>
  parseConfig({ flags: {}, env: { HOME: "/home/ada" }, file: undefined, ...sources }).config;

const messageOf = (sources: Partial<ConfigSources>): string => {
  try {
    parse(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "no error";
};

const { tiers } = configDefaults;
const withPriority = (priority: number) => ({ ...tiers, archive: { ...tiers.archive, priority } });

describe("parseConfig", () => {
  it("has defaults for everything", () => {
    expect(parse({})).toEqual({ ...configDefaults, dataDir: "/home/ada/.palimpsest" });
    expect(configDefaults).toMatchObject({
      model: "demo",
      userId: "local",
      embedding: "local/use-lite",
      maxSteps: 50,
      keepLast: 10,
    });
  });

  it("lets flags override the environment, that the file, and that the defaults", () => {
    const file = { model: "openai/file", userId: "from-file", timeZone: "Europe/Lisbon" };
    const env = { HOME: "/home/ada", PALIMPSEST_MODEL: "openai/env", PALIMPSEST_USER: "from-env" };
    const config = parse({ flags: { model: "openai/flag" }, env, file });
    expect(config).toMatchObject({ model: "openai/flag", userId: "from-env", timeZone: "Europe/Lisbon", maxSteps: 50 });
  });

  it("reads every setting that has a flag", () => {
    const flags = {
      "data-dir": "/data",
      "database-url": "postgres://ada@localhost/palimpsest",
      user: "ada",
      model: "anthropic/claude-x",
      "base-url": "http://localhost:8080/v1",
      "openai-api": "chat",
      embedding: "none",
      "context-window": "8192",
      "max-steps": "3",
      "max-turn-tokens": "20000",
      "max-turn-dollars": "0.25",
      approvals: "pay, send_mail",
      "approval-timeout": "never",
      "max-output-tokens": "512",
      "tool-result-limit": "1000",
      "core-memory-limit": "500",
      "time-zone": "Asia/Tokyo",
      protocol: "heartbeat",
    };
    expect(parse({ flags })).toMatchObject({
      dataDir: "/data",
      databaseUrl: "postgres://ada@localhost/palimpsest",
      userId: "ada",
      model: "anthropic/claude-x",
      baseUrl: "http://localhost:8080/v1",
      openaiApi: "chat",
      embedding: "none",
      contextWindow: 8192,
      maxSteps: 3,
      maxTurnTokens: 20_000,
      maxTurnDollars: 0.25,
      approvals: ["pay", "send_mail"],
      approvalTimeout: null,
      maxOutputTokens: 512,
      toolResultLimit: 1000,
      coreMemoryLimit: 500,
      timeZone: "Asia/Tokyo",
      protocol: "heartbeat",
    });
  });

  it("reads the environment, and treats an empty variable as not set", () => {
    const env = {
      HOME: "/home/ada",
      PALIMPSEST_MODEL: "",
      PALIMPSEST_CONTEXT_WINDOW: "9000",
      DATABASE_URL: "postgresql://one/x",
      ANTHROPIC_API_KEY: "key-one",
      OPENAI_API_KEY: "key-two",
    };
    const config = parse({ env });
    expect(config).toMatchObject({ model: "demo", contextWindow: 9000, databaseUrl: "postgresql://one/x" });
    expect(config).toMatchObject({ anthropicApiKey: "key-one", openaiApiKey: "key-two" });
    expect(parse({ env: { ...env, PALIMPSEST_DATABASE_URL: "postgres://two/x" } }).databaseUrl).toBe(
      "postgres://two/x",
    );
  });

  it("can select the embedded store although DATABASE_URL is set", () => {
    const env = { HOME: "/home/ada", DATABASE_URL: "postgres://one/x" };
    expect(parse({ env, flags: { "database-url": "embedded" } }).databaseUrl).toBeNull();
    expect(parse({ env: { ...env, PALIMPSEST_DATABASE_URL: "embedded" } }).databaseUrl).toBeNull();
    expect(parse({ file: { databaseUrl: "embedded" } }).databaseUrl).toBeNull();
  });

  it.each(["local/use-lite", "openai/text-embedding-3-small@512", "transformers/Xenova/e5", "none"])(
    "accepts %s as an embedder",
    (embedding) => {
      expect(parse({ flags: { embedding } }).embedding).toBe(embedding);
    },
  );

  it("reads the embedder's settings", () => {
    const env = {
      HOME: "/home/ada",
      PALIMPSEST_EMBEDDING_BASE_URL: "http://localhost:11434/v1",
      PALIMPSEST_EMBEDDING_DIMENSIONS: "768",
      PALIMPSEST_EMBEDDING_API_KEY: "key",
      PALIMPSEST_EMBEDDING_FOLDER: "/models",
    };
    const file = { embeddingWindow: 2048, embeddingFloor: -0.5, embeddingCache: 0, embeddingQueryPrefix: "Q:\n" };
    expect(parse({ env, file })).toMatchObject({
      embeddingBaseUrl: "http://localhost:11434/v1",
      embeddingDimensions: 768,
      embeddingApiKey: "key",
      embeddingFolder: "/models",
      embeddingWindow: 2048,
      embeddingFloor: -0.5,
      embeddingCache: 0,
      embeddingQueryPrefix: "Q:\n",
      embeddingPassagePrefix: null,
    });
    const prefix = { embeddingQueryPrefix: "", embeddingPassagePrefix: "🙂".repeat(500) };
    expect(parse({ file: prefix })).toMatchObject(prefix);
    expect(parse({}).embeddingCache).toBe(1000);
  });

  it("completes the address of a server on this machine, whatever names it", () => {
    const url = "http://localhost:1234/v1";
    expect(parse({ flags: { "base-url": "localhost:1234/v1" } }).baseUrl).toBe(url);
    expect(parse({ env: { HOME: "/home/ada", PALIMPSEST_BASE_URL: "localhost:1234/v1" } }).baseUrl).toBe(url);
    expect(parse({ file: { baseUrl: "localhost:1234/v1", rerankUrl: "127.0.0.1:80/rerank" } })).toMatchObject({
      baseUrl: url,
      rerankUrl: "http://127.0.0.1:80/rerank",
    });
    expect(configOf({ baseUrl: "localhost:1234/v1" }).baseUrl).toBe(url);
  });

  it("refuses the address of another machine without a scheme, and names what it expects", () => {
    expect(messageOf({ flags: { "base-url": "192.168.1.5:1234" } })).toBe(
      '--base-url: expected an http:// or https:// URL (or a port of this machine, such as localhost:1234) without a user, a password, a query or a fragment, got "192.168.1.5:1234".',
    );
  });

  it.each([
    [
      "PALIMPSEST_EMBEDDING",
      "openai/",
      'PALIMPSEST_EMBEDDING: expected "local/use-lite", "openai/NAME", "transformers/NAME", "local/NAME" (the same as transformers/NAME), or "none"',
    ],
    ["PALIMPSEST_EMBEDDING", "local/", '"local/"'],
    [
      "PALIMPSEST_EMBEDDING_BASE_URL",
      "localhost",
      'expected an http:// or https:// URL (or a port of this machine, such as localhost:1234) without a user, a password, a query or a fragment, got "localhost"',
    ],
    ["PALIMPSEST_EMBEDDING_DIMENSIONS", "many", 'expected a whole number from 1 to 4000, got "many"'],
    ["PALIMPSEST_EMBEDDING_DIMENSIONS", "4001", "got 4001"],
    ["PALIMPSEST_EMBEDDING_DIMENSIONS", "1.5", "got 1.5"],
  ])("refuses %s=%s", (variable, value, message) => {
    expect(messageOf({ env: { HOME: "/home/ada", [variable]: value } })).toContain(message);
  });

  it.each([
    [{ embeddingFloor: 2 }, "embeddingFloor: expected a number from -1 to 1"],
    [{ embeddingCache: -1 }, "embeddingCache: expected a whole number from 0"],
    [{ embeddingWindow: 3 }, "embeddingWindow: expected a whole number from 16"],
    [{ embeddingQueryPrefix: "q".repeat(501) }, "embeddingQueryPrefix: expected a text of at most 500 characters"],
    [{ embeddingPassagePrefix: 7 }, "embeddingPassagePrefix: expected a text of at most 500 characters, got 7"],
    [{ embeddingFolder: " " }, "embeddingFolder: expected the path of a folder"],
    [{ embeddingApiKey: 7 }, "embeddingApiKey: expected a key, got something else (not shown)"],
  ])("refuses %j in the file", (file, message) => {
    expect(messageOf({ file })).toContain(message);
  });

  it("updates scratchpads automatically only if this is set", () => {
    expect(parse({}).scratchpadUpdate).toBe("off");
    expect(parse({ flags: { "scratchpad-update": "step" } }).scratchpadUpdate).toBe("step");
    expect(parse({ file: { scratchpadUpdate: "step" } }).scratchpadUpdate).toBe("step");
    const wrong = () => parse({ flags: { "scratchpad-update": "turn" } });
    expect(wrong).toThrow('--scratchpad-update: expected off or step, got "turn".');
  });

  it("reads the optional priority of a tier from the file", () => {
    expect(parse({ file: { tiers: withPriority(1) } }).tiers).toEqual(withPriority(1));
  });

  it("completes tiers by their defaults", () => {
    const { tiers: complete } = parse({});
    expect(parse({ file: { tiers: {} } }).tiers).toEqual(complete);
    expect(parse({ file: { tiers: { archive: { priority: 1 } } } }).tiers).toEqual({
      ...complete,
      archive: { ...complete.archive, priority: 1 },
    });
  });

  it("takes a local embedder for one of the models folder", () => {
    const embedding = "local/all-MiniLM-L6-v2";
    expect(parse({ file: { embedding, bufferEmbedding: embedding } })).toMatchObject({
      embedding: "transformers/all-MiniLM-L6-v2",
      bufferEmbedding: "transformers/all-MiniLM-L6-v2",
    });
  });

  it("reads prices, tools to approve and a time-out from the file", () => {
    const prices = { "anthropic/*": { input: 3, cachedInput: 0.3, output: 15 } };
    const file = { prices, approvals: ["pay"], approvalTimeout: 60 };
    expect(parse({ file })).toMatchObject(file);
    expect(parse({ file: { approvalTimeout: "never" } })).toMatchObject({ approvalTimeout: null });
    expect(parse({ file: { approvalTimeout: null } })).toMatchObject({ approvalTimeout: 86_400 });
  });

  it("reads a list of the file that is written as one text, as in a flag", () => {
    const file = { approvals: "pay, send_mail", modelInputs: "image,pdf" };
    expect(parse({ file })).toMatchObject({ approvals: ["pay", "send_mail"], modelInputs: ["image", "pdf"] });
    expect(parse({ file: { modelInputs: "none" } })).toMatchObject({ modelInputs: [] });
    expect(parse({ file: { modelInputs: "auto" } })).toMatchObject({ modelInputs: null });
  });

  it("treats null in the file as not set", () => {
    expect(parse({ file: { model: null, contextWindow: null } })).toMatchObject({ model: "demo", contextWindow: null });
  });
});

describe("parseConfig with an invalid value", () => {
  it.each<[string, Partial<ConfigSources>, readonly string[]]>([
    [
      "an unknown model",
      { flags: { model: "gpt-5" } },
      ["--model:", "demo", "anthropic/NAME", "openai/NAME", '"gpt-5"'],
    ],
    [
      "a model without a name",
      { env: { HOME: "/h", PALIMPSEST_MODEL: "openai/" } },
      ["PALIMPSEST_MODEL:", '"openai/"'],
    ],
    [
      "a number with a unit",
      { flags: { "context-window": "8k" } },
      ["--context-window:", "whole number from 1000", '"8k"'],
    ],
    ["a number too small", { flags: { "max-steps": "0" } }, ["--max-steps:", "from 1", "got 0"]],
    ["a turn for nothing", { flags: { "max-turn-dollars": "0" } }, ["--max-turn-dollars:", "over 0", "got 0"]],
    ["a time-out in hours", { flags: { "approval-timeout": "2h" } }, ["--approval-timeout:", '"never"', '"2h"']],
    [
      "a tool that cannot be one",
      { flags: { approvals: "pay,," } },
      ["--approvals:", "names of tools", 'got "pay,,".'],
    ],
    [
      "a price without its parts",
      { file: { prices: { "openai/x": { input: 1 } } } },
      ["config.json: prices:", "cachedInput", "per million tokens"],
    ],
    ["a priority of 0", { file: { tiers: withPriority(0) } }, ["config.json: tiers:", 'got 0 at "archive.priority"']],
    ["a tier with a wrong maximum", { file: { tiers: { system: { maximum: 0 } } } }, ['got 0 at "system.maximum"']],
    [
      "a limit of a user that is none",
      { file: { userLimits: { ada: { maxTokens: 5 } } } },
      ["config.json: userLimits:", "maxDailyTokens", "maxTokens"],
    ],
    ["a price below nothing", { file: { prices: { x: { input: -1, cachedInput: 0, output: 0 } } } }, ["prices:"]],
    ["a fraction", { flags: { "max-steps": "1.5" } }, ["--max-steps:", "1.5"]],
    ["a negative number", { flags: { "max-steps": "-1" } }, ["--max-steps:", '"-1"']],
    ["a number in exponents", { flags: { "max-steps": "1e3" } }, ["--max-steps:", '"1e3"']],
    ["blanks", { flags: { "max-steps": " " } }, ["--max-steps:"]],
    ["an unknown zone", { flags: { "time-zone": "Mars/Olympus" } }, ["--time-zone:", "IANA", '"Mars/Olympus"']],
    ["an unknown protocol", { flags: { protocol: "letta" } }, ["--protocol:", '"native" or "heartbeat"']],
    ["a base URL that is none", { flags: { "base-url": "models:1" } }, ["--base-url:", "http://"]],
    [
      "a key in the file with a slip",
      { file: { modle: "demo" } },
      ["config.json: unknown key", '"modle"', 'Did you mean "model"?'],
    ],
    ["a strange key in the file", { file: { colour: 1 } }, ['"colour"', "Known keys: ", "contextWindow"]],
    ["a text for a number in the file", { file: { maxSteps: "5" } }, ["config.json: maxSteps:", '"5"']],
    ["a share over 1", { file: { warnAt: 75 } }, ["warnAt:", "at most 1", "75"]],
    ["a warning after the compaction", { file: { warnAt: 0.95 } }, ["warnAt", "compactAt (0.9)", "0.95"]],
    [
      "an unknown strategy",
      { flags: { compaction: "rings" } },
      ["--compaction:", '"recursive", "ring" or "truncate"', '"rings"'],
    ],
    [
      "a limit that leaves nothing to summarize",
      { flags: { "compact-messages": "10" } },
      ["--compact-messages:", "keepLast (10)", "10"],
    ],
    ["a summarizer of nobody's", { flags: { summarizer: "gpt" } }, ["--summarizer:", '"gpt"']],
    ["a batch of one", { file: { ringBatch: 1 } }, ["config.json: ringBatch:", "from 2", "1"]],
    ["a list as a file", { file: [] }, ["config.json: expected an object", "[]"]],
    ["the folder in its own file", { file: { dataDir: "/x" } }, ["dataDir is not allowed"]],
    ["an unknown flag", { flags: { modle: "demo" } }, ['"modle"', 'Did you mean "model"?']],
  ])("names %s, the expected and the given value", (_, sources, expected) => {
    const message = messageOf(sources);
    for (const part of expected) expect(message).toContain(part);
    expect(message).not.toContain("\n");
  });

  it("names the file's path if it is known", () => {
    expect(messageOf({ file: { maxSteps: 0 }, filePath: "/data/config.json" })).toContain(
      "/data/config.json: maxSteps:",
    );
  });

  it("never shows a secret", () => {
    const secrets = [
      messageOf({ flags: { "database-url": "mysql://ada:hunter2@host/x" } }),
      messageOf({ env: { HOME: "/h", DATABASE_URL: "ada:hunter2@host" } }),
      messageOf({ file: { openaiApiKey: ["hunter2"] } }),
      messageOf({ flags: { "base-url": "ftp://ada:hunter2@host" } }),
    ];
    for (const message of secrets) {
      expect(message).not.toBe("no error");
      expect(message).not.toContain("hunter2");
    }
  });

  it("clips the given value", () => {
    expect(messageOf({ flags: { model: "x".repeat(5000) } }).length).toBeLessThan(300);
  });
});

describe("defaults", () => {
  it.each(settingKeys.filter((key) => key !== "dataDir"))("are valid and in their stored form: %s", (key) => {
    expect(shape[key].parse(settings[key].default)).toEqual(settings[key].default);
  });

  it("ask the machine for its time zone when that is read, since it takes 10 ms", () => {
    const config = parse({});
    const property = Object.getOwnPropertyDescriptor(config, "timeZone");
    expect(property?.get).toBeDefined();
    expect({ ...config }.timeZone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(parse({ flags: { "time-zone": "Europe/Lisbon" } }).timeZone).toBe("Europe/Lisbon");
  });
});

describe("several invalid values", () => {
  it("report the first in the order of the settings, wherever it comes from", () => {
    const sources = { file: { model: 7 }, flags: { "time-zone": "Nowhere" }, env: { HOME: "/h" } };
    expect(messageOf(sources)).toContain("model: expected");
    expect(messageOf({ ...sources, file: {} })).toContain("--time-zone: expected");
  });
});

describe("dataDirOf", () => {
  it("is in the home folder unless it is set", () => {
    expect(dataDirOf({ flags: {}, env: { HOME: "/home/ada" } })).toBe("/home/ada/.palimpsest");
    expect(dataDirOf({ flags: {}, env: { USERPROFILE: "C:\\Users\\Ada" } })).toBe("C:\\Users\\Ada/.palimpsest");
    expect(dataDirOf({ flags: {}, env: { HOME: "/home/ada", PALIMPSEST_DATA_DIR: "~/notes" } })).toBe(
      "/home/ada/notes",
    );
    expect(dataDirOf({ flags: { "data-dir": "here" }, env: { PALIMPSEST_DATA_DIR: "/there" } })).toBe("here");
  });

  it("says what to set if no home folder is known", () => {
    expect(() => dataDirOf({ flags: {}, env: {} })).toThrow(/HOME.*PALIMPSEST_DATA_DIR/u);
    expect(() => dataDirOf({ flags: { "data-dir": " " }, env: {} })).toThrow(/--data-dir/u);
  });
});
