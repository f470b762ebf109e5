// Messages about failures and early stops, each with advice for the user.
// Invariant: every displayed failure has a next step.
import type { StopReason } from "../../agent/events.ts";
import { type ErrorCode, RuntimeError } from "../../base/errors.ts";
import type { ViewItem } from "./view/view-item.ts";

const advices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, restart the chat, and /retry.",
  model_rate_limit: "Wait a moment, then /retry.",
  model_unavailable: "Your message is saved: /retry when the provider is back.",
  model_timeout: "Your message is saved: /retry.",
  model_protocol: "Your message is saved: /retry.",
  model_request: "Check the name of the model, or /pop the last messages and rephrase.",
  context_overflow: "Make room: /compact, or /pop the long message.",
  agent_busy: "Another process is using this conversation: wait for its turn to end, or start another with /new.",
  store_unreachable: "Check that the database runs, then send the message again.",
  store_failed: "Send the message again; earlier messages are saved.",
  turn_budget_exceeded: 'Say "go on" to continue with the same budget again.',
  user_limit_reached: "Wait until then; earlier messages are saved.",
  approval_pending: "/approve or /deny it.",
  approval_not_found: "/resume reopens the conversation and shows the waiting calls.",
  pop_refused: "/pop takes a number: /pop 2.",
  dependent_edits:
    "Add --keep-memory to /pop or /retry to keep the edits, or --force to revert the later ones as well; /memory history lists them.",
  revision_not_found: "/memory history lists the numbers.",
  undo_refused: "/memory history lists the edits, `palimpsest compactions list` lists the compactions.",
  module_not_found: "/memory lists the modules.",
  module_limit: "/memory shows the module and its edits; ask the agent to shorten it.",
  summary_refused: "/context shows the content of the window.",
  message_refused: "/dump 3 shows the last messages as stored, /branch lists the branches.",
  conversation_not_found: "/resume lists the conversations.",
  source_not_found: "/attach lists the sources.",
};

/** The kind of failure: a failed command has no turn to retry. */
export type FailedWork = "turn" | "command";

// Advice for failed commands where that for turns does not apply.
const commandAdvices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, restart the chat, and type the command again.",
  model_rate_limit: "Wait a moment, then type the command again.",
  model_unavailable: "Type the command again when the provider is back.",
  model_timeout: typeAgain(),
  model_protocol: typeAgain(),
  turn_budget_exceeded: typeAgain(),
  model_request: "Check the name of the model: /model shows the current one.",
  config_invalid: `Nothing was changed. ${typeAgain()}`,
  store_unreachable: "Check that the database runs, then type the command again.",
  store_failed: typeAgain(),
};

function typeAgain(): string {
  return "Type the command again; earlier messages are saved.";
}

/** Returns the advice for an error code. */
export function adviceFor(code: ErrorCode, failed: FailedWork = "turn"): string {
  if (failed === "turn") return advices[code] ?? "Try again with /retry; earlier messages are saved.";
  return commandAdvices[code] ?? advices[code] ?? typeAgain();
}

/** Returns the item that shows an error. */
export function failureItem(error: unknown, failed: FailedWork = "turn"): ViewItem {
  if (error instanceof RuntimeError)
    return { kind: "notice", level: "failure", text: error.message, advice: adviceFor(error.code, failed) };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: "notice",
    level: "failure",
    text: `Unexpected error: ${reason}`,
    advice: adviceFor("store_failed", failed),
  };
}

/** Returns the notice about a turn's stop reason; null for a reason without a notice. */
export function stopNotice(reason: StopReason, steps: number): ViewItem | null {
  const notice = stopNotices[reason];
  return notice === null ? null : { kind: "notice", level: "warning", text: notice.text(steps), advice: notice.advice };
}

type StopNotice = { readonly text: (steps: number) => string; readonly advice: string } | null;

const stopNotices: Readonly<Record<StopReason, StopNotice>> = {
  "end-turn": null,
  interrupted: {
    text: () => "Interrupted. The text so far is kept.",
    advice: "Continue, or /retry for another answer.",
  },
  "max-steps": {
    text: (steps) => `Stopped after ${steps} steps, the limit of a turn.`,
    advice: 'Say "go on" to continue.',
  },
  budget: { text: () => "Stopped: the budget of this turn is used up.", advice: 'Say "go on" to continue.' },
  length: {
    text: () => "The reply was truncated at its token limit.",
    advice: 'Say "go on" to continue.',
  },
  refusal: {
    text: () => "The model refused to answer.",
    advice: "Rephrase, or remove the message with /pop.",
  },
  "tool-rule": null,
  // The approval request is already on the screen.
  "awaiting-approval": null,
  "awaiting-result": null,
  "model-error": { text: () => "The model call failed.", advice: "Your message is saved: /retry." },
  "context-overflow": {
    text: () => "The conversation no longer fits the model's window.",
    advice: "Make room: /compact, or /pop.",
  },
};
