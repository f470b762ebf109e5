// What becomes of a turn when a provider fails: one row per fault, for the tests and for docs/reliability.md.
// Invariant: the document holds exactly these rows, and each is played against every provider's adapter.

export interface Ending {
  readonly stopReason: "end-turn" | "length" | "max-steps" | "model-error" | "context-overflow";
  readonly code?: string;
  /** Retry events of the turn. */
  readonly retries: number;
}

export interface FaultRow {
  readonly id: string;
  readonly fault: string;
  /** What the runtime does about it. */
  readonly answer: string;
  readonly once: Ending;
  /** When it comes again with every call. */
  readonly always: Ending;
}

const afterRetry: Ending = { stopReason: "end-turn", retries: 1 };
const atOnce: Ending = { stopReason: "end-turn", retries: 0 };
const givenUp = (code: string): Ending => ({ stopReason: "model-error", code, retries: 3 });
const refused = (code: string): Ending => ({ stopReason: "model-error", code, retries: 0 });
const looping: Ending = { stopReason: "max-steps", retries: 0 };

const calledAgain = "the call is made again after a pause that grows";
const toldToModel = "the tool is not run; the model is told why, and goes on";

export const faultTable: readonly FaultRow[] = [
  {
    id: "429-retry-after",
    fault: "rate limit (429) with `retry-after`",
    answer: "the call is made again, no sooner than the provider asks",
    once: afterRetry,
    always: givenUp("model_rate_limit"),
  },
  {
    id: "429-retry-after-long",
    fault: "rate limit (429) that asks for more than a minute",
    answer: "nothing: a turn is not held that long",
    once: refused("model_rate_limit"),
    always: refused("model_rate_limit"),
  },
  {
    id: "429",
    fault: "rate limit (429) without `retry-after`",
    answer: calledAgain,
    once: afterRetry,
    always: givenUp("model_rate_limit"),
  },
  {
    id: "500",
    fault: "the provider fails (500)",
    answer: calledAgain,
    once: afterRetry,
    always: givenUp("model_unavailable"),
  },
  {
    id: "overloaded",
    fault: "the provider is overloaded (529, 503)",
    answer: calledAgain,
    once: afterRetry,
    always: givenUp("model_unavailable"),
  },
  {
    id: "408",
    fault: "the provider times out (408)",
    answer: calledAgain,
    once: afterRetry,
    always: givenUp("model_timeout"),
  },
  {
    id: "silence",
    fault: "nothing comes for two minutes",
    answer: "the connection is given up; " + calledAgain,
    once: afterRetry,
    always: givenUp("model_timeout"),
  },
  {
    id: "stall",
    fault: "the stream stalls for two minutes after some text",
    answer: "the connection is given up, the text is void; " + calledAgain,
    once: afterRetry,
    always: givenUp("model_timeout"),
  },
  {
    id: "slow",
    fault: "the reply goes on for longer than `maxReplySeconds` (30 minutes)",
    answer: "the connection is closed, the text is void; no call is made again, since it would take as long",
    once: refused("model_reply_limit"),
    always: refused("model_reply_limit"),
  },
  {
    id: "large",
    fault: "the reply is larger than `maxReplyMegabytes` (32 MB)",
    answer: "the connection is closed, the text is void; no call is made again, since it would be as large",
    once: refused("model_reply_limit"),
    always: refused("model_reply_limit"),
  },
  {
    id: "cut-text",
    fault: "the stream is cut after some text",
    answer: "the text is void; " + calledAgain,
    once: afterRetry,
    always: givenUp("model_protocol"),
  },
  {
    id: "cut-arguments",
    fault: "the stream is cut inside a tool's arguments",
    answer: "the tool is not run; " + calledAgain,
    once: afterRetry,
    always: givenUp("model_protocol"),
  },
  {
    id: "cut-after-call",
    fault: "the stream is cut after a whole tool call",
    answer: "the tool is not run, since the reply is not whole; " + calledAgain,
    once: afterRetry,
    always: givenUp("model_protocol"),
  },
  {
    id: "malformed",
    fault: "a tool's arguments are not JSON",
    answer: toldToModel,
    once: atOnce,
    always: looping,
  },
  {
    id: "unknown-tool",
    fault: "a tool that does not exist",
    answer: toldToModel,
    once: atOnce,
    always: looping,
  },
  {
    id: "wrong-types",
    fault: "arguments of the wrong type",
    answer: toldToModel,
    once: atOnce,
    always: looping,
  },
  {
    id: "empty",
    fault: "an empty reply",
    answer: "nothing: the turn has no text",
    once: atOnce,
    always: atOnce,
  },
  {
    id: "length-text",
    fault: "the reply is cut at its length limit, in its text",
    answer: "the text is kept as far as it goes",
    once: { stopReason: "length", retries: 0 },
    always: { stopReason: "length", retries: 0 },
  },
  {
    id: "length-arguments",
    fault: "the reply is cut at its length limit, in a tool's arguments",
    answer: toldToModel,
    once: atOnce,
    always: looping,
  },
  {
    id: "overflow",
    fault: "the provider says that the request is too long",
    answer: "older messages are summarized, and the call is made again",
    once: atOnce,
    always: { stopReason: "context-overflow", code: "context_overflow", retries: 0 },
  },
  {
    id: "refused-key",
    fault: "the provider refuses the key (401)",
    answer: "nothing: it would refuse it again",
    once: refused("model_auth"),
    always: refused("model_auth"),
  },
];

/** The row as it stands in the document. */
export function markdownRow({ fault, answer, once, always }: FaultRow): string {
  return `| ${[fault, answer, endingText(once), endingText(always)].join(" | ")} |`;
}

function endingText({ stopReason, code, retries }: Ending): string {
  const reason = code === undefined ? `\`${stopReason}\`` : `\`${stopReason}\`, \`${code}\``;
  if (retries === 0) return reason;
  return `${reason}, after ${retries === 1 ? "1 retry" : `${retries} retries`}`;
}
