// Flags, environment and configuration file to one validated Config.
// Invariant: pure; the earlier of flags, environment, file and defaults wins; a message names the key as the person
// wrote it, what was expected and what came, and never shows a secret.
import { z } from "zod";
import { isTimeZone } from "./base/calendar.ts";
import { nearestName } from "./base/nearest-name.ts";
import { ConfigError } from "./errors.ts";

/** Everything that can be configured. What concerns agents is the default for agents that are made with it. */
export interface Config {
  /** Where the embedded store and `config.json` are. */
  readonly dataDir: string;
  /** A PostgreSQL server; null for the embedded store. */
  readonly databaseUrl: string | null;
  /** The same server as a role that may change the schema, where the one of `databaseUrl` may not. */
  readonly migrationUrl: string | null;
  readonly userId: string;
  /** `demo`, `anthropic/NAME` or `openai/NAME`. */
  readonly model: string;
  /** Of a server that speaks the API of the model's provider; null for the provider's own. */
  readonly baseUrl: string | null;
  readonly openaiApi: "auto" | "responses" | "chat";
  readonly anthropicApiKey: string | null;
  readonly openaiApiKey: string | null;
  /** What makes vectors of archived text; `none`: archives are searched by words alone. */
  readonly embedding: "local/use-lite" | "none";
  /** Tokens; null takes the model's. */
  readonly contextWindow: number | null;
  readonly maxSteps: number;
  /** Tokens that a turn may use, and dollars that it may cost; null: no limit. */
  readonly maxTurnTokens: number | null;
  readonly maxTurnDollars: number | null;
  /** Dollars per million tokens, by a model's name or by the beginning of names and a `*`. None is built in. */
  readonly prices: Readonly<
    Record<string, { readonly input: number; readonly cachedInput: number; readonly output: number }>
  >;
  readonly maxOutputTokens: number;
  /** Code points of a tool result that the model is shown whole. */
  readonly toolResultLimit: number;
  /** Code points of a module of core memory. */
  readonly coreMemoryLimit: number;
  /** Messages that a compaction keeps. */
  readonly keepLast: number;
  /** Shares of the window, over 0 and at most 1. */
  readonly warnAt: number;
  readonly compactAt: number;
  /** IANA name. */
  readonly timeZone: string;
  readonly protocol: "native" | "heartbeat";
  /** Seconds to wait while another process steps the conversation. */
  readonly waitSeconds: number;
  /** Seconds after which a process that gives no sign of life loses the conversation that it steps. */
  readonly leaseSeconds: number;
  /** Tools whose calls wait for the user's approval. */
  readonly approvals: readonly string[];
  /** Seconds after which a call that nobody decided about counts as denied; null: never. */
  readonly approvalTimeout: number | null;
  /** What is dropped of what no turn needs; what is absent is kept for ever. */
  readonly retention: {
    readonly messages?: { readonly days?: number | undefined; readonly megabytes?: number | undefined } | undefined;
    readonly revisions?: { readonly days?: number | undefined; readonly perModule?: number | undefined } | undefined;
    readonly steps?: { readonly days?: number | undefined } | undefined;
  };
  /** Where the embedded store's engine runs: in a process that outlives this one, or in a thread of this one. */
  readonly engineHost: "process" | "worker";
}

/** What holds when nothing is configured. The data folder is missing because it depends on the home folder. */
export const configDefaults: Omit<Config, "dataDir"> = {
  databaseUrl: null,
  migrationUrl: null,
  userId: "local",
  model: "demo",
  baseUrl: null,
  openaiApi: "auto",
  anthropicApiKey: null,
  openaiApiKey: null,
  embedding: "local/use-lite",
  contextWindow: null,
  maxSteps: 50,
  maxTurnTokens: null,
  maxTurnDollars: null,
  prices: {},
  maxOutputTokens: 4096,
  toolResultLimit: 3000,
  coreMemoryLimit: 2000,
  keepLast: 10,
  warnAt: 0.75,
  compactAt: 0.9,
  timeZone: machineTimeZone(),
  protocol: "native",
  waitSeconds: 60,
  leaseSeconds: 30,
  approvals: [],
  approvalTimeout: 86_400,
  retention: {},
  engineHost: "process",
};

/** Where a configuration comes from. Keys of `flags` are the names of flags without their dashes. */
export interface ConfigSources {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parsed content of `config.json`; undefined when there is none. */
  readonly file: unknown;
  /** Its path, for messages. */
  readonly filePath?: string;
}

/** Throws ConfigError for the first key that is wrong, or unknown among the flags and in the file. */
export function parseConfig(sources: ConfigSources): Config {
  const found = new Map<keyof Config, Found>();
  found.set("dataDir", { value: dataDirOf(sources), origin: "--data-dir" });
  for (const [key, found_] of fileValues(sources)) found.set(key, found_);
  for (const key of configKeys) {
    const value = textValue(key, sources);
    if (value !== undefined) found.set(key, value);
  }
  checkFlagNames(sources.flags);
  const merged: Record<string, unknown> = { ...configDefaults };
  for (const [key, { value }] of found) merged[key] = value;
  const parsed = z.strictObject(shape).safeParse(merged);
  if (!parsed.success) throw valueError(parsed.error, found);
  if (parsed.data.warnAt > parsed.data.compactAt) {
    const { warnAt, compactAt } = parsed.data;
    throw new ConfigError(
      `warnAt: expected at most compactAt (${compactAt}), so that the warning comes first, got ${warnAt}.`,
    );
  }
  return parsed.data;
}

/**
 * The defaults with a program's own values over them; undefined ones are passed over, and other keys left out.
 * Throws ConfigError for the first value that is wrong.
 */
export function configOf(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const given = Object.entries(values).filter(([key, value]) => isConfigKey(key) && value !== undefined);
  const found = new Map(given.map(([key, value]) => [key as keyof Config, { value, origin: key }]));
  // A program may bring models of its own, under any name.
  const own = z.object({ ...shape, model: nonBlank }).partial({ dataDir: true });
  const parsed = own.safeParse({ ...configDefaults, ...Object.fromEntries(given) });
  if (!parsed.success) throw valueError(parsed.error, found);
  const { dataDir, ...others } = parsed.data;
  return dataDir === undefined ? others : { ...others, dataDir };
}

/** The data folder, in which the configuration file is looked for: `~/.palimpsest` on every system unless set. */
export function dataDirOf(sources: Pick<ConfigSources, "flags" | "env">): string {
  const home = nonEmpty(sources.env["HOME"]) ?? nonEmpty(sources.env["USERPROFILE"]);
  const given = sources.flags["data-dir"] ?? nonEmpty(sources.env["PALIMPSEST_DATA_DIR"]);
  if (given === undefined) {
    if (home !== undefined) return `${home}/.palimpsest`;
    throw new ConfigError("No home folder is known (HOME is not set): set --data-dir or PALIMPSEST_DATA_DIR.");
  }
  if (given.trim() === "") throw new ConfigError("--data-dir: expected the path of a folder, got an empty text.");
  return home !== undefined && given.startsWith("~/") ? `${home}${given.slice(1)}` : given;
}

/** A value with the name of the place it came from. */
interface Found {
  readonly value: unknown;
  readonly origin: string;
}

interface Setting {
  readonly expected: string;
  readonly flag?: string;
  /** The first that is set and not empty wins. */
  readonly environment?: readonly string[];
  readonly isSecret?: true;
}

const wholeNumber = (least: number): z.ZodNumber => z.number().int().min(least).max(10_000_000);
const price = z.number().min(0).max(1_000_000);
const positive = z.number().gt(0).max(1_000_000);
const share = z.number().gt(0).max(1);
const nonBlank = z.string().regex(/\S/u);
const serverUrl = z.string().regex(/^postgres(ql)?:\/\/\S+$/u);

const shape = {
  dataDir: nonBlank,
  databaseUrl: serverUrl.nullable(),
  migrationUrl: serverUrl.nullable(),
  userId: nonBlank.max(200),
  model: z.string().regex(/^(demo|(anthropic|openai)\/\S+)$/u),
  baseUrl: z.url({ protocol: /^https?$/u }).nullable(),
  openaiApi: z.enum(["auto", "responses", "chat"]),
  anthropicApiKey: nonBlank.nullable(),
  openaiApiKey: nonBlank.nullable(),
  embedding: z.enum(["local/use-lite", "none"]),
  contextWindow: wholeNumber(1000).nullable(),
  maxSteps: wholeNumber(1),
  maxTurnTokens: wholeNumber(1).nullable(),
  maxTurnDollars: positive.nullable(),
  prices: z.record(nonBlank, z.strictObject({ input: price, cachedInput: price, output: price })),
  maxOutputTokens: wholeNumber(1),
  toolResultLimit: wholeNumber(1),
  coreMemoryLimit: wholeNumber(1),
  keepLast: wholeNumber(0),
  warnAt: share,
  compactAt: share,
  timeZone: z.string().refine(isTimeZone),
  protocol: z.enum(["native", "heartbeat"]),
  waitSeconds: z.number().min(0).max(86_400),
  leaseSeconds: z.number().min(1).max(3600),
  approvals: z.array(z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u)),
  approvalTimeout: wholeNumber(1).nullable(),
  retention: z.strictObject({
    messages: z.strictObject({ days: positive.optional(), megabytes: positive.optional() }).optional(),
    revisions: z.strictObject({ days: positive.optional(), perModule: wholeNumber(1).optional() }).optional(),
    steps: z.strictObject({ days: positive.optional() }).optional(),
  }),
  engineHost: z.enum(["process", "worker"]),
} satisfies { readonly [Key in keyof Config]: z.ZodType<Config[Key]> };

const atLeast = (least: number): string => `a whole number from ${least} to 10000000`;
const shareExpected = "a number over 0 and at most 1, a share of the window";

const settings: { readonly [Key in keyof Config]: Setting } = {
  dataDir: { expected: "the path of a folder", flag: "data-dir", environment: ["PALIMPSEST_DATA_DIR"] },
  databaseUrl: {
    expected: 'postgres://USER@HOST/DATABASE, or "embedded" for the embedded store',
    flag: "database-url",
    environment: ["PALIMPSEST_DATABASE_URL", "DATABASE_URL"],
    isSecret: true,
  },
  migrationUrl: {
    expected: "postgres://USER@HOST/DATABASE",
    environment: ["PALIMPSEST_MIGRATION_URL"],
    isSecret: true,
  },
  userId: { expected: "a name of 1 to 200 characters", flag: "user", environment: ["PALIMPSEST_USER"] },
  model: {
    expected: '"demo", "anthropic/NAME" or "openai/NAME" (for any compatible server: openai/NAME with --base-url)',
    flag: "model",
    environment: ["PALIMPSEST_MODEL"],
  },
  baseUrl: { expected: "an http:// or https:// URL", flag: "base-url", environment: ["PALIMPSEST_BASE_URL"] },
  openaiApi: { expected: '"auto", "responses" or "chat"', flag: "openai-api", environment: ["PALIMPSEST_OPENAI_API"] },
  anthropicApiKey: { expected: "a key", environment: ["ANTHROPIC_API_KEY"], isSecret: true },
  openaiApiKey: { expected: "a key", environment: ["OPENAI_API_KEY"], isSecret: true },
  embedding: {
    expected: '"local/use-lite", or "none" to search by words alone',
    flag: "embedding",
    environment: ["PALIMPSEST_EMBEDDING"],
  },
  contextWindow: { expected: atLeast(1000), flag: "context-window", environment: ["PALIMPSEST_CONTEXT_WINDOW"] },
  maxSteps: { expected: atLeast(1), flag: "max-steps" },
  maxTurnTokens: { expected: atLeast(1), flag: "max-turn-tokens" },
  maxTurnDollars: { expected: "a number of dollars over 0", flag: "max-turn-dollars" },
  prices: {
    expected: '{"MODEL": {"input": DOLLARS, "cachedInput": DOLLARS, "output": DOLLARS}}, per million tokens',
  },
  maxOutputTokens: { expected: atLeast(1), flag: "max-output-tokens" },
  toolResultLimit: { expected: atLeast(1), flag: "tool-result-limit" },
  coreMemoryLimit: { expected: atLeast(1), flag: "core-memory-limit" },
  keepLast: { expected: atLeast(0) },
  warnAt: { expected: shareExpected },
  compactAt: { expected: shareExpected },
  timeZone: {
    expected: "an IANA time zone such as Europe/Lisbon",
    flag: "time-zone",
    environment: ["PALIMPSEST_TIME_ZONE"],
  },
  protocol: { expected: '"native" or "heartbeat"', flag: "protocol" },
  waitSeconds: { expected: "a number of seconds from 0 to 86400", flag: "wait", environment: ["PALIMPSEST_WAIT"] },
  leaseSeconds: { expected: "a number of seconds from 1 to 3600" },
  approvals: { expected: "names of tools, such as core_memory_replace,archival_memory_insert", flag: "approvals" },
  approvalTimeout: { expected: `${atLeast(1)} (seconds), or "never"`, flag: "approval-timeout" },
  retention: {
    expected: '{"messages": {"days", "megabytes"}, "revisions": {"days", "perModule"}, "steps": {"days"}}, all over 0',
  },
  engineHost: { expected: '"process" or "worker"' },
};

/** The keys of a configuration file, which may hold all of Config but the folder that it lies in. */
const configKeys = Object.keys(settings).filter(isConfigKey);
/** Numbers whose default is null. */
const limitless: ReadonlySet<keyof Config> = new Set(["contextWindow", "maxTurnTokens", "maxTurnDollars"]);
const numericKeys: ReadonlySet<keyof Config> = new Set(
  configKeys.filter((key) => limitless.has(key) || (key !== "dataDir" && typeof configDefaults[key] === "number")),
);

function isConfigKey(key: string): key is keyof Config {
  return Object.hasOwn(settings, key);
}

/** A setting from a flag or the environment: text, made a number where one is wanted and it is one. */
function textValue(key: keyof Config, { flags, env }: ConfigSources): Found | undefined {
  if (key === "dataDir") return undefined;
  const { flag, environment = [] } = settings[key];
  const variable = environment.find((name) => nonEmpty(env[name]) !== undefined);
  const [text, origin] =
    flag !== undefined && flags[flag] !== undefined ? [flags[flag], `--${flag}`] : [env[variable ?? ""], variable];
  if (text === undefined || origin === undefined) return undefined;
  if (isWordForNull(key, text)) return { value: null, origin };
  if (key === "approvals") return { value: text.split(",").map((name) => name.trim()), origin };
  return { value: numericKeys.has(key) && /^\d+(\.\d+)?$/u.test(text) ? Number(text) : text, origin };
}

function fileValues({ file, filePath }: ConfigSources): readonly (readonly [keyof Config, Found])[] {
  if (file === undefined) return [];
  const where = filePath ?? "config.json";
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new ConfigError(`${where}: expected an object such as {"model": "demo"}, got ${describe(file)}.`);
  }
  const values: [keyof Config, Found][] = [];
  for (const [key, value] of Object.entries(file)) {
    if (!isConfigKey(key)) throw unknownName(`${where}: unknown key`, key, configKeys);
    if (key === "dataDir") {
      throw new ConfigError(
        `${where}: dataDir cannot stand here, since the file is found in it. Use --data-dir or PALIMPSEST_DATA_DIR.`,
      );
    }
    if (value !== null)
      values.push([key, { value: isWordForNull(key, value) ? null : value, origin: `${where}: ${key}` }]);
  }
  return values;
}

/** Null itself means that nothing is said. */
function isWordForNull(key: keyof Config, value: unknown): boolean {
  return (key === "databaseUrl" && value === "embedded") || (key === "approvalTimeout" && value === "never");
}

function checkFlagNames(flags: Readonly<Record<string, string>>): void {
  const known = Object.values(settings).flatMap(({ flag }) => flag ?? []);
  for (const name of Object.keys(flags)) {
    if (!known.includes(name)) throw unknownName("Unknown setting", name, known);
  }
}

function unknownName(what: string, name: string, known: readonly string[]): ConfigError {
  const near = nearestName(name, known);
  const hint = near === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean "${near}"?`;
  return new ConfigError(`${what} ${describe(name)}. ${hint}`);
}

function valueError(error: z.ZodError, found: ReadonlyMap<keyof Config, Found>): ConfigError {
  const key = String(error.issues[0]?.path[0] ?? "");
  if (!isConfigKey(key)) return new ConfigError(`The configuration is not valid: ${error.message}`, { cause: error });
  const { value, origin } = found.get(key) ?? { value: undefined, origin: key };
  const { expected, isSecret } = settings[key];
  // The cause would carry the value as well, so it is left out.
  return new ConfigError(
    `${origin}: expected ${expected}, got ${isSecret ? "something else (not shown)" : describe(value)}.`,
  );
}

/** A value for a message: clipped, on one line, and without what a URL may hold before its host. */
function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const safe = text.replace(/:\/\/[^/@\s]*@/gu, "://…@");
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

/** The machine's zone, or UTC when the machine names one that it does not know itself (an unknown TZ). */
function machineTimeZone(): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : "UTC";
}
