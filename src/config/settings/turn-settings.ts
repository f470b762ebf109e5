// Defines the settings of a turn: its protocol, and its limits of steps, tokens, money and sizes.
import type { z } from "zod";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { megabytes, nonBlank, numberOf, oneOf, orNull, positive, wholeNumber } from "./forms.ts";
import { flag, setting } from "./setting.ts";

const dollars = orNull({ form: positive(1_000_000), expected: "a number of dollars over 0" });
const dailyTokens = orNull(wholeNumber(1, 1e15));
const concurrentTurns = orNull(wholeNumber(1));

/** Limits of single users, by the id of the user. */
type OwnLimits = Readonly<
  Record<string, Partial<Record<"maxDailyTokens" | "maxDailyDollars" | "maxConcurrentTurns", number | null>>>
>;

export const turnSettings = {
  /** How the model answers the user: by the text of its reply, or by calling `send_message`, as in MemGPT. */
  protocol: setting({
    ...oneOf("native", "heartbeat"),
    default: "native",
    flag: flag("agent", "protocol", "NAME", "{default} (default) or heartbeat, as in MemGPT"),
  }),
  /** Maximum code points in a module of core memory. */
  coreMemoryLimit: setting({
    ...wholeNumber(1),
    default: defaultModuleLimit,
    isOfAgent: true,
    flag: flag("limit", "core-memory-limit", "N", "characters per section of core memory (default {default})"),
  }),
  /** Size of the window in tokens; null: the size of the model's window. */
  contextWindow: setting({
    ...orNull(wholeNumber(1000)),
    default: null,
    isOfAgent: true,
    flag: flag("limit", "context-window", "N", "tokens (default: the model's)"),
    environment: ["PALIMPSEST_CONTEXT_WINDOW"],
  }),
  /** Maximum model calls in one turn. */
  maxSteps: setting({
    ...wholeNumber(1),
    default: 50,
    isOfAgent: true,
    flag: flag("limit", "max-steps", "N", "model calls per turn (default {default})"),
  }),
  /** Maximum tool calls that run per reply. */
  maxToolCalls: setting({
    ...wholeNumber(1),
    default: 64,
    isOfAgent: true,
    flag: flag("limit", "max-tool-calls", "N", "tool calls that run per reply (default {default})"),
  }),
  /** Maximum tokens of a turn; null: no limit. */
  maxTurnTokens: setting({
    ...orNull(wholeNumber(1)),
    default: null,
    isOfAgent: true,
    flag: flag("limit", "max-turn-tokens", "N", "tokens of all model calls of a turn (default: no limit)"),
  }),
  /** Maximum cost of a turn in dollars; null: no limit. */
  maxTurnDollars: setting({
    ...dollars,
    default: null,
    isOfAgent: true,
    flag: flag("limit", "max-turn-dollars", "N", "cost of a turn by the configured prices (default: no limit)"),
  }),
  /** Maximum tokens of a user per day (UTC), in all conversations; null: no limit. */
  maxDailyTokens: setting({
    ...dailyTokens,
    default: null,
    flag: flag("limit", "max-daily-tokens", "N", "tokens of the user per day, UTC (default: no limit)"),
  }),
  /** Maximum cost of a user per day (UTC) in dollars, in all conversations; null: no limit. */
  maxDailyDollars: setting({
    ...dollars,
    default: null,
    flag: flag("limit", "max-daily-dollars", "N", "cost of the user per day by the configured prices"),
  }),
  /** Maximum turns of a user that run or wait at a time in one process; null: no limit. */
  maxConcurrentTurns: setting({ ...concurrentTurns, default: null }),
  /** Limits of single users, by user id. Each overrides the setting of the same name; null: no limit. */
  userLimits: setting({
    form: (zod) => {
      const limits = {
        maxDailyTokens: dailyTokens.form(zod),
        maxDailyDollars: dollars.form(zod),
        maxConcurrentTurns: concurrentTurns.form(zod),
      };
      return zod.record(nonBlank(zod), zod.strictObject(limits).partial()) as unknown as z.ZodType<OwnLimits>;
    },
    expected: '{"USER": {"maxDailyTokens": N, "maxDailyDollars": DOLLARS, "maxConcurrentTurns": N}}; null for no limit',
    default: {},
  }),
  /** Maximum tokens of one reply. The thoughts of Claude and of OpenAI's models do not count: they get additional tokens. */
  maxOutputTokens: setting({
    ...wholeNumber(1),
    default: 4096,
    isOfAgent: true,
    flag: flag("limit", "max-output-tokens", "N", "tokens per model call (default {default})"),
  }),
  /** Maximum duration of one reply, in seconds. */
  maxReplySeconds: setting({ ...numberOf("seconds", 1, 86_400), default: 1800 }),
  /** Maximum size of one reply, in megabytes. */
  maxReplyMegabytes: setting({ ...megabytes(1000), default: 32 }),
  /** Maximum code points of a tool result in the window; the end of a longer result is cut off. */
  toolResultLimit: setting({
    ...wholeNumber(1),
    default: 3000,
    isOfAgent: true,
    flag: flag("limit", "tool-result-limit", "N", "characters of a tool result (default {default})"),
  }),
  /** Maximum megabytes of one file on a message. */
  maxFileMegabytes: setting({ ...megabytes(100), default: 20 }),
  /** Maximum megabytes of all files on a message together. */
  maxMessageMegabytes: setting({ ...megabytes(100), default: 32 }),
};
