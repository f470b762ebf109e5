// What can be configured: each setting with its default, its form and the names under which it is given.
// Invariant: the three tables have the same keys, those of Config; the compiler compares them.
import { z } from "zod";
import { isTimeZone } from "../base/calendar.ts";
import { type BufferConfig, bufferDefaults, bufferSettings, bufferShape } from "./buffer-settings.ts";
import { type EmbeddingConfig, embeddingDefaults, embeddingSettings, embeddingShape } from "./embedding-settings.ts";
import { type RetrievalConfig, retrievalDefaults, retrievalSettings, retrievalShape } from "./retrieval-settings.ts";
import { atLeast, httpUrl, nonBlank, type Setting, urlExpected, wholeNumber } from "./setting-forms.ts";
import { type StoreConfig, storeDefaults, storeSettings, storeShape } from "./store-settings.ts";

/** Everything that can be configured. What concerns agents is the default for agents that are made with it. */
export interface Config extends StoreConfig, EmbeddingConfig, RetrievalConfig, BufferConfig {
  /** Where the embedded store is, and the configuration file unless another is named. */
  readonly dataDir: string;
  /** `demo`, `anthropic/NAME`, `openai/NAME`, or the path of a GGUF file, which ends in `.gguf`. */
  readonly model: string;
  /** Of a server that speaks the API of the model's provider; null for the provider's own. */
  readonly baseUrl: string | null;
  readonly openaiApi: "auto" | "responses" | "chat";
  readonly anthropicApiKey: string | null;
  readonly openaiApiKey: string | null;
  /** Tokens; null takes the model's. */
  readonly contextWindow: number | null;
  readonly maxSteps: number;
  /** Tool calls of one reply that are run. */
  readonly maxToolCalls: number;
  /** Tokens that a turn may use, and dollars that it may cost; null: no limit. */
  readonly maxTurnTokens: number | null;
  readonly maxTurnDollars: number | null;
  /** Dollars per million tokens, by a model's name or by the beginning of names and a `*`. None is built in. */
  readonly prices: Readonly<
    Record<string, { readonly input: number; readonly cachedInput: number; readonly output: number }>
  >;
  readonly maxOutputTokens: number;
  /** Seconds that a provider may take for one reply, and megabytes that it may send. */
  readonly maxReplySeconds: number;
  readonly maxReplyMegabytes: number;
  /** Code points of a tool result that the model is shown whole. */
  readonly toolResultLimit: number;
  /** What models can be sent besides text; null: what is known of the provider's. */
  readonly modelInputs: readonly ("image" | "pdf" | "audio")[] | null;
  /** Megabytes of a file on a message, and of all files of one. */
  readonly maxFileMegabytes: number;
  readonly maxMessageMegabytes: number;
  /** Code points of a module of core memory. */
  readonly coreMemoryLimit: number;
  /** Messages that a compaction keeps. */
  readonly keepLast: number;
  /** Shares of the window, over 0 and at most 1. */
  readonly warnAt: number;
  readonly compactAt: number;
  /** How messages leave the window: into one summary, into a ring of summaries, or without one. */
  readonly compaction: "recursive" | "ring" | "truncate";
  /** Messages in the window above which older ones leave it, whatever their tokens; null: no limit. */
  readonly compactMessages: number | null;
  /** The fewest messages that become one entry of the ring, and the most entries that it has. */
  readonly ringBatch: number;
  readonly ringEntries: number;
  /** The model that summarizes, named as `model` is; null: the agent's own. */
  readonly summarizer: string | null;
  /** IANA name. */
  readonly timeZone: string;
  /** Colours of the terminal chat; `auto`: by what the terminal says of its background. */
  readonly theme: "auto" | "dark" | "light" | "none";
  readonly protocol: "native" | "heartbeat";
  /** Seconds to wait while another process steps the conversation. */
  readonly waitSeconds: number;
  /** Seconds after which a process that gives no sign of life loses the conversation that it steps. */
  readonly leaseSeconds: number;
  /** Tools whose calls wait for the user's approval. */
  readonly approvals: readonly string[];
  /** Seconds after which a call that nobody decided about counts as denied; null: never. */
  readonly approvalTimeout: number | null;
  /** `step`: a model call after each step brings the scratchpad up to date, where the memory has one. */
  readonly scratchpadUpdate: "off" | "step";
  /** `on`: a synopsis of what the archive says of the user stands in the prompt. It costs a model call whenever it is made. */
  readonly synopsis: "off" | "on";
  /** Seconds that its parts hold. */
  readonly synopsisLifetimes: Readonly<Record<"identity" | "context", number>>;
  /** `on-access`: a turn that meets a part whose lifetime is over has it made anew behind the scenes. */
  readonly synopsisRefresh: "on-access" | "by-hand";
  /** What is dropped of what no turn needs; what is absent is kept for ever. */
  readonly retention: {
    readonly messages?: { readonly days?: number | undefined; readonly megabytes?: number | undefined } | undefined;
    readonly revisions?: { readonly days?: number | undefined; readonly perModule?: number | undefined } | undefined;
    readonly steps?: { readonly days?: number | undefined } | undefined;
    readonly passages?: { readonly rows?: number | undefined; readonly megabytes?: number | undefined } | undefined;
  };
  /** What counts how much in a search of archival memory; words count 1. */
  readonly searchWeights: { readonly meaning: number; readonly literal: number; readonly importance: number };
  /** Where core memory stands in a request: docs/context.md. */
  readonly layout: "stable" | "inline";
  /** Turns before the running one that are in the window before anything older. */
  readonly recentTurns: number;
  /** The least and the most of the budget for each tier, and which tier gives way first: docs/context.md. */
  readonly tiers: {
    readonly system: { readonly minimum: number; readonly maximum: number };
    /** The tier with the larger priority gives way first. */
    readonly working: { readonly minimum: number; readonly maximum: number; readonly priority?: number | undefined };
    readonly archive: { readonly minimum: number; readonly maximum: number; readonly priority?: number | undefined };
  };
}

/** What holds when nothing is configured. The data folder is missing because it depends on the home folder. */
export const configDefaults: Omit<Config, "dataDir"> = {
  ...storeDefaults,
  model: "demo",
  baseUrl: null,
  openaiApi: "auto",
  anthropicApiKey: null,
  openaiApiKey: null,
  ...embeddingDefaults,
  ...retrievalDefaults,
  ...bufferDefaults,
  contextWindow: null,
  maxSteps: 50,
  maxToolCalls: 64,
  maxTurnTokens: null,
  maxTurnDollars: null,
  prices: {},
  maxOutputTokens: 4096,
  maxReplySeconds: 1800,
  maxReplyMegabytes: 32,
  toolResultLimit: 3000,
  modelInputs: null,
  maxFileMegabytes: 20,
  maxMessageMegabytes: 32,
  coreMemoryLimit: 2000,
  keepLast: 10,
  warnAt: 0.75,
  compactAt: 0.9,
  compaction: "recursive",
  compactMessages: null,
  ringBatch: 10,
  ringEntries: 500,
  summarizer: null,
  timeZone: machineTimeZone(),
  theme: "auto",
  protocol: "native",
  waitSeconds: 60,
  leaseSeconds: 30,
  approvals: [],
  approvalTimeout: 86_400,
  scratchpadUpdate: "off",
  synopsis: "off",
  synopsisLifetimes: { identity: 604_800, context: 3600 },
  synopsisRefresh: "on-access",
  retention: {},
  searchWeights: { meaning: 0.5, literal: 1, importance: 0 },
  layout: "stable",
  recentTurns: 4,
  tiers: {
    system: { minimum: 0, maximum: 1 },
    working: { minimum: 0, maximum: 1, priority: 2 },
    archive: { minimum: 0.1, maximum: 1, priority: 3 },
  },
};

const price = z.number().min(0).max(1_000_000);
const weight = z.number().min(0).max(10);
const lifetime = z.number().int().min(60).max(31_536_000);
const positive = z.number().gt(0).max(1_000_000);
const share = z.number().gt(0).max(1);
const tierLimits = { minimum: z.number().min(0).max(1), maximum: share };
const isInOrder = ({ minimum, maximum }: Config["tiers"]["system"]): boolean => minimum <= maximum;
const fixedTier = z.strictObject(tierLimits).refine(isInOrder);
const rankedTier = z.strictObject({ ...tierLimits, priority: wholeNumber(1).optional() }).refine(isInOrder);
const modelName = z
  .string()
  .regex(/^(?:demo|(?:anthropic|openai)\/\S+|(?!anthropic\/|openai\/)\P{Cc}+\.(?:gguf|GGUF))$/u);

/** What each must be, for zod. */
export const shape = {
  dataDir: nonBlank,
  ...storeShape,
  model: modelName,
  baseUrl: httpUrl.nullable(),
  openaiApi: z.enum(["auto", "responses", "chat"]),
  anthropicApiKey: nonBlank.nullable(),
  openaiApiKey: nonBlank.nullable(),
  ...embeddingShape,
  ...retrievalShape,
  ...bufferShape,
  contextWindow: wholeNumber(1000).nullable(),
  maxSteps: wholeNumber(1),
  maxToolCalls: wholeNumber(1),
  maxTurnTokens: wholeNumber(1).nullable(),
  maxTurnDollars: positive.nullable(),
  prices: z.record(nonBlank, z.strictObject({ input: price, cachedInput: price, output: price })),
  maxOutputTokens: wholeNumber(1),
  maxReplySeconds: z.number().min(1).max(86_400),
  maxReplyMegabytes: z.number().gt(0).max(1000),
  toolResultLimit: wholeNumber(1),
  modelInputs: z.array(z.enum(["image", "pdf", "audio"])).nullable(),
  maxFileMegabytes: z.number().gt(0).max(100),
  maxMessageMegabytes: z.number().gt(0).max(100),
  coreMemoryLimit: wholeNumber(1),
  keepLast: wholeNumber(0),
  warnAt: share,
  compactAt: share,
  compaction: z.enum(["recursive", "ring", "truncate"]),
  compactMessages: wholeNumber(2).nullable(),
  ringBatch: wholeNumber(2),
  ringEntries: wholeNumber(1),
  summarizer: modelName.nullable(),
  timeZone: z.string().refine(isTimeZone),
  theme: z.enum(["auto", "dark", "light", "none"]),
  protocol: z.enum(["native", "heartbeat"]),
  waitSeconds: z.number().min(0).max(86_400),
  leaseSeconds: z.number().min(1).max(3600),
  approvals: z.array(z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u)),
  approvalTimeout: wholeNumber(1).nullable(),
  scratchpadUpdate: z.enum(["off", "step"]),
  synopsis: z.enum(["off", "on"]),
  synopsisLifetimes: z.strictObject({ identity: lifetime, context: lifetime }),
  synopsisRefresh: z.enum(["on-access", "by-hand"]),
  retention: z.strictObject({
    messages: z.strictObject({ days: positive.optional(), megabytes: positive.optional() }).optional(),
    revisions: z.strictObject({ days: positive.optional(), perModule: wholeNumber(1).optional() }).optional(),
    steps: z.strictObject({ days: positive.optional() }).optional(),
    passages: z.strictObject({ rows: wholeNumber(1).optional(), megabytes: positive.optional() }).optional(),
  }),
  searchWeights: z.strictObject({ meaning: weight, literal: weight, importance: weight }),
  layout: z.enum(["stable", "inline"]),
  recentTurns: wholeNumber(0),
  tiers: z
    .strictObject({ system: fixedTier, working: rankedTier, archive: rankedTier })
    .refine(({ system, working, archive }) => system.minimum + working.minimum + archive.minimum <= 1),
} satisfies { readonly [Key in keyof Config]: z.ZodType<Config[Key]> };

const modelExpected = '"demo", "anthropic/NAME", "openai/NAME" or a path that ends in .gguf';
const megabytesExpected = "a number over 0 and at most 100, in megabytes";
const shareExpected = "a number over 0 and at most 1, a share of the window";

/** What each must be for people, and under which names it is given. */
export const settings: { readonly [Key in keyof Config]: Setting } = {
  dataDir: { expected: "the path of a folder", flag: "data-dir", environment: ["PALIMPSEST_DATA_DIR"] },
  ...storeSettings,
  model: {
    expected: `${modelExpected} (for any compatible server: openai/NAME with --base-url)`,
    flag: "model",
    environment: ["PALIMPSEST_MODEL"],
  },
  baseUrl: { expected: urlExpected, flag: "base-url", environment: ["PALIMPSEST_BASE_URL"] },
  openaiApi: { expected: '"auto", "responses" or "chat"', flag: "openai-api", environment: ["PALIMPSEST_OPENAI_API"] },
  anthropicApiKey: { expected: "a key", environment: ["ANTHROPIC_API_KEY"], isSecret: true },
  openaiApiKey: { expected: "a key", environment: ["OPENAI_API_KEY"], isSecret: true },
  ...embeddingSettings,
  ...retrievalSettings,
  ...bufferSettings,
  contextWindow: { expected: atLeast(1000), flag: "context-window", environment: ["PALIMPSEST_CONTEXT_WINDOW"] },
  maxSteps: { expected: atLeast(1), flag: "max-steps" },
  maxToolCalls: { expected: atLeast(1), flag: "max-tool-calls" },
  maxTurnTokens: { expected: atLeast(1), flag: "max-turn-tokens" },
  maxTurnDollars: { expected: "a number of dollars over 0", flag: "max-turn-dollars" },
  prices: {
    expected: '{"MODEL": {"input": DOLLARS, "cachedInput": DOLLARS, "output": DOLLARS}}, per million tokens',
  },
  maxOutputTokens: { expected: atLeast(1), flag: "max-output-tokens" },
  maxReplySeconds: { expected: "a number of seconds from 1 to 86400" },
  maxReplyMegabytes: { expected: "a number over 0 and at most 1000, in megabytes" },
  toolResultLimit: { expected: atLeast(1), flag: "tool-result-limit" },
  modelInputs: {
    expected: "auto, none, or any of image, pdf and audio, separated by commas",
    flag: "model-inputs",
    environment: ["PALIMPSEST_MODEL_INPUTS"],
  },
  maxFileMegabytes: { expected: megabytesExpected },
  maxMessageMegabytes: { expected: megabytesExpected },
  coreMemoryLimit: { expected: atLeast(1), flag: "core-memory-limit" },
  keepLast: { expected: atLeast(0) },
  warnAt: { expected: shareExpected },
  compactAt: { expected: shareExpected },
  compaction: { expected: '"recursive", "ring" or "truncate"', flag: "compaction" },
  compactMessages: { expected: `${atLeast(2)}, or "none"`, flag: "compact-messages" },
  ringBatch: { expected: atLeast(2) },
  ringEntries: { expected: atLeast(1) },
  summarizer: { expected: `${modelExpected}, or "none" for the agent's own`, flag: "summarizer" },
  timeZone: {
    expected: "an IANA time zone such as Europe/Lisbon",
    flag: "time-zone",
    environment: ["PALIMPSEST_TIME_ZONE"],
  },
  theme: { expected: '"auto", "dark", "light" or "none"', environment: ["PALIMPSEST_THEME"] },
  protocol: { expected: '"native" or "heartbeat"', flag: "protocol" },
  waitSeconds: { expected: "a number of seconds from 0 to 86400", flag: "wait", environment: ["PALIMPSEST_WAIT"] },
  leaseSeconds: { expected: "a number of seconds from 1 to 3600" },
  approvals: { expected: "names of tools, such as core_memory_replace,archival_memory_insert", flag: "approvals" },
  approvalTimeout: { expected: `${atLeast(1)} (seconds), or "never"`, flag: "approval-timeout" },
  scratchpadUpdate: { expected: "off or step", flag: "scratchpad-update" },
  synopsis: { expected: '"off" or "on"', flag: "synopsis" },
  synopsisLifetimes: { expected: '{"identity", "context"}, whole numbers of seconds from 60 to 31,536,000' },
  synopsisRefresh: { expected: '"on-access" or "by-hand"' },
  retention: {
    expected:
      '{"messages": {"days", "megabytes"}, "revisions": {"days", "perModule"}, "steps": {"days"}, "passages": {"rows", "megabytes"}}, all over 0',
  },
  searchWeights: { expected: '{"meaning", "literal", "importance"}, numbers from 0 to 10' },
  layout: { expected: '"stable" or "inline"', flag: "layout" },
  recentTurns: { expected: atLeast(0) },
  tiers: {
    expected:
      '{"system", "working", "archive": {"minimum": SHARE, "maximum": SHARE}}, shares from 0 to 1 whose minimums add up to 1 at most, and for working and archive an optional "priority", a whole number from 1 (the larger gives way first)',
  },
};

export function isConfigKey(key: string): key is keyof Config {
  return Object.hasOwn(settings, key);
}

/** The machine's zone, or UTC when the machine names one that it does not know itself (an unknown TZ). */
function machineTimeZone(): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : "UTC";
}
