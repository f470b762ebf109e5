// The settings of a turn: its protocol, and the limits of what it may do, use and be sent.
import { oneOf, orNull, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

const megabytes = { form: positive(100), expected: "a number over 0 and at most 100, in megabytes" };

export const turnSettings = {
  /** Which part of a reply the user reads: the text, or what `send_message` is called with, as in MemGPT. */
  protocol: setting({
    ...oneOf("native", "heartbeat"),
    default: "native",
    flag: { name: "protocol", value: "NAME", help: "{default} (default) or heartbeat, as in MemGPT", group: "agent" },
  }),
  /** Code points of a module of core memory. */
  coreMemoryLimit: setting({
    ...wholeNumber(1),
    default: 2000,
    isOfAgent: true,
    flag: {
      name: "core-memory-limit",
      value: "N",
      help: "characters per section of core memory (default {default})",
      group: "limit",
    },
  }),
  /** Tokens; null takes the model's. */
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
  /** Tool calls of one reply that are run. */
  maxToolCalls: setting({
    ...wholeNumber(1),
    default: 64,
    isOfAgent: true,
    flag: {
      name: "max-tool-calls",
      value: "N",
      help: "tool calls of one reply that are run (default {default})",
      group: "limit",
    },
  }),
  /** Tokens that a turn may use; null: no limit. */
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
  /** Dollars that a turn may cost; null: no limit. */
  maxTurnDollars: setting({
    form: (zod) => positive(1_000_000)(zod).nullable(),
    expected: "a number of dollars over 0",
    default: null,
    isOfAgent: true,
    flag: {
      name: "max-turn-dollars",
      value: "N",
      help: "what they may cost, by the prices configured (default: no limit)",
      group: "limit",
    },
  }),
  /** Tokens of one reply. */
  maxOutputTokens: setting({
    ...wholeNumber(1),
    default: 4096,
    isOfAgent: true,
    flag: { name: "max-output-tokens", value: "N", help: "tokens per model call (default {default})", group: "limit" },
  }),
  /** Seconds that a provider may take for one reply. */
  maxReplySeconds: setting({
    form: (zod) => zod.number().min(1).max(86_400),
    expected: "a number of seconds from 1 to 86400",
    default: 1800,
  }),
  /** Megabytes that a provider may send for one reply. */
  maxReplyMegabytes: setting({
    form: positive(1000),
    expected: "a number over 0 and at most 1000, in megabytes",
    default: 32,
  }),
  /** Code points of a tool result that the model is shown whole. */
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
  /** Megabytes of a file on a message. */
  maxFileMegabytes: setting({ ...megabytes, default: 20 }),
  /** Megabytes of all files of a message. */
  maxMessageMegabytes: setting({ ...megabytes, default: 32 }),
};
