// How a turn ends when a provider fails: one row per fault, for the tests and for docs/reliability.md.
// Invariant: the document contains exactly these rows, and each row is tested with every provider's adapter that
// can see the fault.
import type { WireApi } from "./journal-checks.ts";

export interface Ending {
  readonly stopReason: "end-turn" | "length" | "max-steps" | "model-error" | "context-overflow";
  readonly code?: string;
  /** Number of retry events in the turn. */
  readonly retries: number;
}

export interface FaultRow {
  readonly id: string;
  /** The only wire format in which the fault can happen; absent for all. */
  readonly only?: WireApi;
  readonly fault: string;
  /** How the runtime reacts to the fault. */
  readonly answer: string;
  /** The ending if the fault happens once. */
  readonly once: Ending;
  /** The ending if the fault happens in every call. */
  readonly always: Ending;
}

const afterRetry: Ending = { stopReason: "end-turn", retries: 1 };
const atOnce: Ending = { stopReason: "end-turn", retries: 0 };
const failed = (code: string): Ending => ({ stopReason: "model-error", code, retries: 3 });
const refused = (code: string): Ending => ({ stopReason: "model-error", code, retries: 0 });
const looping: Ending = { stopReason: "max-steps", retries: 0 };

const retriedAfterPause = "the call is retried after an increasing pause";
const reportedToModel = "the tool is not run; its result tells the model why, and the turn continues";

export const faultTable: readonly FaultRow[] = [
  {
    id: "429-retry-after",
    fault: "rate limit (429) with `retry-after`",
    answer: "the call is retried, no sooner than the provider asks",
    once: afterRetry,
    always: failed("model_rate_limit"),
  },
  {
    id: "429-retry-after-long",
    fault: "rate limit (429) that asks for more than a minute",
    answer: "no retry: a turn does not wait that long",
    once: refused("model_rate_limit"),
    always: refused("model_rate_limit"),
  },
  {
    id: "429",
    fault: "rate limit (429) without `retry-after`",
    answer: retriedAfterPause,
    once: afterRetry,
    always: failed("model_rate_limit"),
  },
  {
    id: "500",
    fault: "the provider fails (500)",
    answer: retriedAfterPause,
    once: afterRetry,
    always: failed("model_unavailable"),
  },
  {
    id: "overloaded",
    fault: "the provider is overloaded (529, 503)",
    answer: retriedAfterPause,
    once: afterRetry,
    always: failed("model_unavailable"),
  },
  {
    id: "408",
    fault: "the provider times out (408)",
    answer: retriedAfterPause,
    once: afterRetry,
    always: failed("model_timeout"),
  },
  {
    id: "silence",
    fault: "no data arrives for two minutes",
    answer: "the connection is closed; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_timeout"),
  },
  {
    id: "stall",
    fault: "the stream stalls for two minutes after some text",
    answer: "the connection is closed and the text is void; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_timeout"),
  },
  {
    id: "slow",
    fault: "the reply takes longer than `maxReplySeconds` (30 minutes)",
    answer: "the connection is closed and the text is void; no retry, since it would take as long",
    once: refused("model_reply_limit"),
    always: refused("model_reply_limit"),
  },
  {
    id: "large",
    fault: "the reply is larger than `maxReplyMegabytes` (32 MB)",
    answer: "the connection is closed and the text is void; no retry, since it would be as large",
    once: refused("model_reply_limit"),
    always: refused("model_reply_limit"),
  },
  {
    id: "cut-text",
    fault: "the stream is cut off after some text",
    answer: "the text is void; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_protocol"),
  },
  {
    id: "cut-arguments",
    fault: "the stream is cut off inside a tool's arguments",
    answer: "the tool is not run; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_protocol"),
  },
  {
    id: "cut-after-call",
    fault: "the stream is cut off after a complete tool call",
    answer: "the tool is not run, since the reply is incomplete; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_protocol"),
  },
  {
    id: "missing-call",
    only: "anthropic",
    fault: "the reply ends for a tool call that it does not contain",
    answer: "the text is void; " + retriedAfterPause,
    once: afterRetry,
    always: failed("model_protocol"),
  },
  { id: "malformed", fault: "a tool's arguments are not JSON", answer: reportedToModel, once: atOnce, always: looping },
  {
    id: "unknown-tool",
    fault: "a call of a tool that does not exist",
    answer: reportedToModel,
    once: atOnce,
    always: looping,
  },
  { id: "wrong-types", fault: "arguments of the wrong type", answer: reportedToModel, once: atOnce, always: looping },
  { id: "empty", fault: "an empty reply", answer: "nothing: the turn ends without text", once: atOnce, always: atOnce },
  {
    id: "length-text",
    fault: "the reply reaches its length limit, in its text",
    answer: "the truncated text is kept",
    once: { stopReason: "length", retries: 0 },
    always: { stopReason: "length", retries: 0 },
  },
  {
    id: "length-arguments",
    fault: "the reply reaches its length limit, in a tool's arguments",
    answer: reportedToModel,
    once: atOnce,
    always: looping,
  },
  {
    id: "overflow",
    fault: "the provider says that the request is too long",
    answer: "older messages are summarized, and the call is repeated",
    once: atOnce,
    always: { stopReason: "context-overflow", code: "context_overflow", retries: 0 },
  },
  {
    id: "refused-key",
    fault: "the provider refuses the key (401)",
    answer: "no retry: the provider would refuse the key again",
    once: refused("model_auth"),
    always: refused("model_auth"),
  },
];

/** The row as Markdown, as in the document. */
export const markdownRow = ({ fault, answer, once, always }: FaultRow): string =>
  `| ${[fault, answer, endingText(once), endingText(always)].join(" | ")} |`;

function endingText({ stopReason, code, retries }: Ending): string {
  const reason = code === undefined ? `\`${stopReason}\`` : `\`${stopReason}\`, \`${code}\``;
  if (retries === 0) return reason;
  return `${reason}, after ${retries === 1 ? "1 retry" : `${retries} retries`}`;
}
