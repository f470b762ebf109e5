// Messages about failures and early stops, each with advice for the user.
// Invariant: every displayed failure has a next step.
import type { StopReason } from "../agent/events.ts";
import { type ErrorCode, RuntimeError } from "../errors.ts";
import type { ViewItem } from "./view/view-item.ts";

const advices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, start again, and /retry.",
  model_rate_limit: "Wait a little, then /retry.",
  model_unavailable: "Your message is kept: /retry when the provider is back.",
  model_timeout: "Your message is kept: /retry.",
  model_protocol: "Your message is kept: /retry.",
  model_request: "Check the name of the model, or /pop the last messages and ask in another way.",
  context_overflow: "Make room: /compact, or /pop the long message.",
  agent_busy: "Another terminal is talking in this conversation: wait for its turn to end, or begin another with /new.",
  store_unreachable: "Check that the database runs, then send the message again.",
  store_failed: "Send the message again; what was said before is saved.",
  turn_budget_exceeded: 'Say "go on" to continue with the same budget again.',
  approval_pending: "/approve or /deny it.",
  approval_not_found: "/resume opens the conversation anew and shows what waits.",
  pop_refused: "/pop takes a number: /pop 2.",
  dependent_edits:
    "Add --keep-memory to /pop or /retry to leave the edits, or --force to take the later ones back as well; /memory history shows them.",
  revision_not_found: "/memory history shows the numbers.",
  undo_refused: "/memory history shows the edits, palimpsest compactions list the compactions.",
  module_not_found: "/memory shows the modules.",
  summary_refused: "Nothing was changed. /context shows what stands in the window.",
  message_refused: "/dump 3 shows the last messages as they stand, /branch the branches.",
  conversation_not_found: "/resume lists the conversations.",
  source_not_found: "/attach lists the sources.",
};

/** The kind of failure: a failed command has no turn to retry. */
export type FailedWork = "turn" | "command";

// Where the advice for a turn would be wrong.
const commandAdvices: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_auth: "Check the key of this provider, start again, and type the command again.",
  model_rate_limit: "Wait a little, then type the command again.",
  model_unavailable: "Type the command again when the provider is back.",
  model_timeout: typeAgain(),
  model_protocol: typeAgain(),
  turn_budget_exceeded: typeAgain(),
  model_request: "Check the name of the model: /model says which one answers.",
  config_invalid: `Nothing was changed. ${typeAgain()}`,
  store_unreachable: "Check that the database runs, then type the command again.",
  store_failed: typeAgain(),
};

function typeAgain(): string {
  return "Type the command again; what was said before is saved.";
}

/** Advice for an error code. */
export function adviceFor(code: ErrorCode, failed: FailedWork = "turn"): string {
  if (failed === "turn") return advices[code] ?? "Try again with /retry; what was said before is saved.";
  return commandAdvices[code] ?? advices[code] ?? typeAgain();
}

/** The items that show a thrown error. */
export function failureItem(error: unknown, failed: FailedWork = "turn"): ViewItem {
  if (error instanceof RuntimeError)
    return { kind: "notice", level: "failure", text: error.message, advice: adviceFor(error.code, failed) };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: "notice",
    level: "failure",
    text: `Something unexpected failed: ${reason}`,
    advice: adviceFor("store_failed", failed),
  };
}

/** The notice about a turn's stop reason, if it needs one. */
export function stopNotice(reason: StopReason, steps: number): ViewItem | null {
  const notice = stopNotices[reason];
  return notice === null ? null : { kind: "notice", level: "warning", text: notice.text(steps), advice: notice.advice };
}

type StopNotice = { readonly text: (steps: number) => string; readonly advice: string } | null;

const stopNotices: Readonly<Record<StopReason, StopNotice>> = {
  "end-turn": null,
  interrupted: {
    text: () => "Interrupted. What was said so far is kept.",
    advice: "Go on, or /retry for another answer.",
  },
  "max-steps": {
    text: (steps) => `Stopped after ${steps} steps, the most that a turn may take.`,
    advice: 'Say "go on" to continue.',
  },
  budget: { text: () => "Stopped: the budget of this turn is used up.", advice: 'Say "go on" to continue.' },
  length: {
    text: () => "The reply was cut off at the longest that the model may write.",
    advice: 'Say "go on" to continue.',
  },
  refusal: {
    text: () => "The model refused to answer.",
    advice: "Ask in another way, or take the message back with /pop.",
  },
  // The approval request is already on the screen.
  "awaiting-approval": null,
  "model-error": { text: () => "The model call failed.", advice: "Your message is kept: /retry." },
  "context-overflow": {
    text: () => "The conversation no longer fits the model's window.",
    advice: "Make room: /compact, or /pop.",
  },
};
