// Settings of a turn: its protocol, and its limits of steps, tokens, money and sizes.
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { oneOf, orNull, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

const megabytes = { form: positive(100), expected: "a number over 0 and at most 100, in megabytes" };

export const turnSettings = {
  /** The part of a reply that the user reads: its text, or the argument of `send_message`, as in MemGPT. */
  protocol: setting({
    ...oneOf("native", "heartbeat"),
    default: "native",
    flag: { name: "protocol", value: "NAME", help: "{default} (default) or heartbeat, as in MemGPT", group: "agent" },
  }),
  /** Limit of a core memory module, in code points. */
  coreMemoryLimit: setting({
    ...wholeNumber(1),
    default: defaultModuleLimit,
    isOfAgent: true,
    flag: {
      name: "core-memory-limit",
      value: "N",
      help: "characters per section of core memory (default {default})",
      group: "limit",
    },
  }),
  /** Size in tokens; null: the model's. */
  contextWindow: setting({
    ...orNull(wholeNumber(1000)),
    default: null,
    isOfAgent: true,
    flag: { name: "context-window", value: "N", help: "tokens (default: the model's)", group: "limit" },
    environment: ["PALIMPSEST_CONTEXT_WINDOW"],
  }),
  /** Maximum model calls in one turn. */
  maxSteps: setting({
    ...wholeNumber(1),
    default: 50,
    isOfAgent: true,
    flag: { name: "max-steps", value: "N", help: "model calls per turn (default {default})", group: "limit" },
  }),
  /** Maximum tool calls that run per reply. */
  maxToolCalls: setting({
    ...wholeNumber(1),
    default: 64,
    isOfAgent: true,
    flag: {
      name: "max-tool-calls",
      value: "N",
      help: "tool calls that run per reply (default {default})",
      group: "limit",
    },
  }),
  /** Maximum tokens of a turn; null: no limit. */
  maxTurnTokens: setting({
    ...orNull(wholeNumber(1)),
    default: null,
    isOfAgent: true,
    flag: {
      name: "max-turn-tokens",
      value: "N",
      help: "tokens of all model calls of a turn (default: no limit)",
      group: "limit",
    },
  }),
  /** Maximum cost of a turn in dollars; null: no limit. */
  maxTurnDollars: setting({
    form: (zod) => positive(1_000_000)(zod).nullable(),
    expected: "a number of dollars over 0",
    default: null,
    isOfAgent: true,
    flag: {
      name: "max-turn-dollars",
      value: "N",
      help: "cost of a turn by the configured prices (default: no limit)",
      group: "limit",
    },
  }),
  /** Maximum tokens of a user per day (UTC), in all conversations; null: no limit. */
  maxDailyTokens: setting({
    form: (zod) => zod.number().int().min(1).max(1e15).nullable(),
    expected: "a whole number from 1 to 1000000000000000",
    default: null,
    flag: {
      name: "max-daily-tokens",
      value: "N",
      help: "tokens of the user per day, UTC (default: no limit)",
      group: "limit",
    },
  }),
  /** Maximum cost of a user per day (UTC) in dollars, in all conversations; null: no limit. */
  maxDailyDollars: setting({
    form: (zod) => positive(1_000_000)(zod).nullable(),
    expected: "a number of dollars over 0",
    default: null,
    flag: {
      name: "max-daily-dollars",
      value: "N",
      help: "cost of the user per day by the configured prices",
      group: "limit",
    },
  }),
  /** Maximum turns of a user that run or wait at a time in one process; null: no limit. */
  maxConcurrentTurns: setting({ ...orNull(wholeNumber(1)), default: null }),
  /** Maximum tokens of one reply. A model that thinks gets more, for its thoughts. */
  maxOutputTokens: setting({
    ...wholeNumber(1),
    default: 4096,
    isOfAgent: true,
    flag: { name: "max-output-tokens", value: "N", help: "tokens per model call (default {default})", group: "limit" },
  }),
  /** Maximum duration of one reply, in seconds. */
  maxReplySeconds: setting({
    form: (zod) => zod.number().min(1).max(86_400),
    expected: "a number of seconds from 1 to 86400",
    default: 1800,
  }),
  /** Maximum size of one reply, in megabytes. */
  maxReplyMegabytes: setting({
    form: positive(1000),
    expected: "a number over 0 and at most 1000, in megabytes",
    default: 32,
  }),
  /** Maximum code points of a tool result in the window; a longer one is shortened. */
  toolResultLimit: setting({
    ...wholeNumber(1),
    default: 3000,
    isOfAgent: true,
    flag: {
      name: "tool-result-limit",
      value: "N",
      help: "characters of a tool result (default {default})",
      group: "limit",
    },
  }),
  /** Maximum size of a message's file, in megabytes. */
  maxFileMegabytes: setting({ ...megabytes, default: 20 }),
  /** Maximum size of all files of a message, in megabytes. */
  maxMessageMegabytes: setting({ ...megabytes, default: 32 }),
};
