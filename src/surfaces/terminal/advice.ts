// Writes messages about failures and early stops, each with advice for the user.
// Invariant: every displayed failure has a next step.
import type { StopReason } from "../../agent/events.ts";
import { type ErrorCode, RuntimeError } from "../../base/errors.ts";
import { notice } from "./view/notices.ts";
import type { ViewItem } from "./view/view-item.ts";

const typeAgain = "Type the command again; earlier messages are saved.";

const advices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, restart the chat, and /retry.",
  model_rate_limit: "Wait a moment, then /retry.",
  model_unavailable: "Your message is saved: /retry when the provider is back.",
  model_timeout: "Your message is saved: /retry.",
  model_protocol: "Your message is saved: /retry.",
  model_request: "Check the name of the model, or /pop the last messages and rephrase.",
  context_overflow: "Make room: /compact, or /pop the long message.",
  agent_busy: "Try again when the other process is done, or start a new conversation with /new.",
  store_unreachable: "Check that the database runs, then send the message again.",
  store_failed: "Send the message again; earlier messages are saved.",
  turn_budget_exceeded: 'Say "go on" to continue with the same budget again.',
  user_limit_reached: "Wait or delete data, as the message says; earlier messages are saved.",
  approval_pending: "/approve or /deny the waiting call.",
  approval_not_found: "/resume reopens the conversation and shows the waiting calls.",
  pop_refused: "/pop takes a number: /pop 2.",
  dependent_edits:
    "Add --keep-memory to /pop or /retry to keep the edits, or --force to revert the later ones as well; /memory history lists them.",
  revision_not_found: "/memory history lists the revision numbers.",
  undo_refused: "/memory history lists the edits, `palimpsest compactions list` lists the compactions.",
  module_not_found: "/memory lists the modules.",
  module_limit: "/memory shows the module and its edits; ask the agent to shorten it.",
  summary_refused: "/context shows the content of the window.",
  message_refused: "/dump 3 shows the last messages as stored, /branch lists the branches.",
  conversation_not_found: "/resume lists the conversations.",
  source_not_found: "/attach lists the sources.",
};

/** The kind of work that failed. Only a failed turn can be retried, not a command or a message that was not sent. */
export type FailedWork = "turn" | "command" | "message";

/** The advice for error codes that have no advice of their own. */
const otherAdvices: Readonly<Record<FailedWork, string>> = {
  turn: "Try again with /retry; earlier messages are saved.",
  command: typeAgain,
  message: "Your message is in the prompt: change it, or send it again.",
};

// The advice for a failed command, where the advice for a failed turn does not apply.
const commandAdvices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, restart the chat, and type the command again.",
  model_rate_limit: "Wait a moment, then type the command again.",
  model_unavailable: "Type the command again when the provider is back.",
  model_timeout: typeAgain,
  model_protocol: typeAgain,
  turn_budget_exceeded: typeAgain,
  model_request: "Check the name of the model: /model shows the current one.",
  config_invalid: `Nothing was changed. ${typeAgain}`,
  store_unreachable: "Check that the database runs, then type the command again.",
  store_failed: typeAgain,
};

/** Returns the advice for an error code. */
export function adviceFor(code: ErrorCode, failed: FailedWork = "turn"): string {
  return (failed === "command" ? commandAdvices[code] : undefined) ?? advices[code] ?? otherAdvices[failed];
}

/** Returns the item that shows an error. */
export function failureItem(error: unknown, failed: FailedWork = "turn"): ViewItem {
  if (error instanceof RuntimeError) return notice("failure", error.message, adviceFor(error.code, failed));
  const reason = error instanceof Error ? error.message : String(error);
  return notice("failure", `Unexpected error: ${reason}`, adviceFor("store_failed", failed));
}

/** Returns the notice about a turn's stop reason; null for a reason without a notice. */
export function stopNotice(reason: StopReason, steps: number): ViewItem | null {
  const words = stopNotices[reason];
  return words === null ? null : notice("warning", words[0].replace("$steps", String(steps)), words[1]);
}

/** For each stop reason, the text of the notice, with `$steps` for the number of steps, and the advice. */
const stopNotices: Readonly<Record<StopReason, readonly [string, string] | null>> = {
  "end-turn": null,
  interrupted: ["Interrupted. The text so far is kept.", "Continue, or /retry for another answer."],
  "max-steps": ["Stopped after $steps steps, the limit of a turn.", 'Say "go on" to continue.'],
  budget: ["Stopped: the budget of this turn is used up.", 'Say "go on" to continue.'],
  length: ["The reply was truncated at its token limit.", 'Say "go on" to continue.'],
  refusal: ["The model refused to answer.", "Rephrase, or remove the message with /pop."],
  "tool-rule": null,
  // No notice, because the approval request is already on the screen.
  "awaiting-approval": null,
  "awaiting-result": null,
  "awaiting-reply": ["Another agent has yet to answer.", "Wait, or send a message instead."],
  "model-error": ["The model call failed.", "Your message is saved: /retry."],
  "context-overflow": ["The conversation no longer fits the model's window.", "Make room: /compact, or /pop."],
};
