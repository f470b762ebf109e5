// The arguments and options of an agent's functions, with the check of each.
// Invariant: every function of `Agent` that has parameters has a line here, and so has every option.
import type { Agent, CompactOptions, RevertMode } from "../../../agent/agent.ts";
import type {
  CallResult,
  ClientTool,
  ReadOptions,
  SendOptions,
  SentMessage,
  SentMessages,
} from "../../../agent/turn-options.ts";
import {
  anything,
  type ArgumentCheck,
  atOnce,
  type CallChecks,
  count,
  flag,
  later,
  list,
  nullable,
  number,
  oneOf,
  optional,
  options,
  ordinal,
  record,
  signal,
  text,
  textOrWith,
  withCheckedCalls,
} from "../../../base/arguments/argument-checks.ts";
import type { UndoOptions } from "../../../memory/core/undo-edit.ts";
import { fileInput } from "./file-argument.ts";

const sentMessages = options<SentMessages>({
  messages: list(
    options<SentMessage>(
      {
        role: optional(oneOf("user", "system")),
        text,
        name: optional(text),
        files: optional(list(fileInput, "Pass `files: [file]`, also for one file.")),
        idempotencyKey: optional(text),
      },
      { otherNames: { content: "Use `text`.", speaker: "Use `name`." } },
    ),
    "Pass `messages: [message]`, also for one message.",
  ),
});

const message = textOrWith(
  "messages",
  sentMessages,
  'Pass the text of the message itself: agent.send("Hello"); files go in `files` of the options. Pass several messages as { messages: […] }.',
);

const turnOptions = {
  signal: optional(signal),
  waitMs: optional(number),
  budget: optional(
    options<Required<SendOptions>["budget"]>({
      tokens: optional(nullable(number)),
      dollars: optional(nullable(number)),
    }),
  ),
  maxSteps: optional(number),
  model: optional(text),
  systemPrompt: optional(text),
  clientTools: optional(
    list(
      options<ClientTool>(
        { name: text, description: text, parameters: record },
        { otherNames: { inputSchema: "Use `parameters`." } },
      ),
      "Pass `clientTools: [tool]`, also for one tool.",
    ),
  ),
};

const sent = {
  ...turnOptions,
  files: optional(list(fileInput, "Pass `files: [file]`, also for one file.")),
  idempotencyKey: optional(text),
  onWaiting: optional(oneOf("supersede", "refuse")),
};

const sendOptions = options<SendOptions>(sent);
const sendForOptions = options<SendOptions & { readonly output: unknown }>({ ...sent, output: anything });

const revert = { memory: optional(oneOf<RevertMode>("revert", "keep", "force")) };

/** An options object that may be left out. */
function optionsOf<Options extends object>(
  checks: { readonly [Key in keyof Required<Options>]: ArgumentCheck },
): ArgumentCheck {
  return optional(options<Options>(checks));
}

/** The options of a function by its name, as its type has them. */
type OptionsOf<Key extends "resume" | "approve" | "deny" | "retry" | "pop" | "ask"> = NonNullable<
  Extract<Parameters<Agent[Key]>[1] | Parameters<Agent[Key]>[0], object>
>;

const checks: CallChecks<Agent> = {
  steps: later(["limit", optional(count)]),
  step: later(["ordinal", ordinal]),
  send: atOnce(["input", message], ["options", optional(sendForOptions)]),
  start: later(["input", message], ["options", optional(sendOptions)]),
  events: atOnce(
    ["turnId", text],
    ["options", optionsOf<ReadOptions>({ after: optional(ordinal), signal: optional(signal) })],
  ),
  resume: atOnce(["options", optionsOf<OptionsOf<"resume">>({ ...turnOptions, turnId: optional(text) })]),
  approve: atOnce(
    ["callId", text],
    ["options", optionsOf<OptionsOf<"approve">>({ ...turnOptions, arguments: optional(record) })],
  ),
  answer: atOnce(
    [
      "results",
      list(
        options<CallResult>({
          callId: text,
          status: oneOf("ok", "failed"),
          text,
          printed: optional(options<NonNullable<CallResult["printed"]>>({ stdout: text, stderr: text })),
        }),
        "Pass `[{ callId, status, text }]`, also for one result.",
      ),
    ],
    ["options", optionsOf(turnOptions)],
  ),
  deny: atOnce(["callId", text], ["options", optionsOf<OptionsOf<"deny">>({ ...turnOptions, reason: optional(text) })]),
  raise: atOnce(["event", oneOf("heartbeat", "memory-warning")], ["options", optionsOf(turnOptions)]),
  retry: atOnce(["options", optionsOf<OptionsOf<"retry">>({ ...turnOptions, ...revert })]),
  regenerate: atOnce(["messageId", text], ["options", optionsOf<OptionsOf<"retry">>({ ...turnOptions, ...revert })]),
  switchTo: later(["messageId", nullable(text)]),
  pop: later(["count", optional(number)], ["options", optionsOf<OptionsOf<"pop">>(revert)]),
  compact: later(["options", optionsOf<CompactOptions>({ focus: optional(text), signal: optional(signal) })]),
  compactions: later(["limit", optional(count)]),
  rewrite: later(["text", text]),
  rethink: later(["text", text]),
  ask: later(["question", text], ["options", optionsOf<OptionsOf<"ask">>({ signal: optional(signal) })]),
  undoEdit: later(
    ["label", optional(text)],
    ["options", optionsOf<UndoOptions>({ revision: optional(ordinal), force: optional(flag) })],
  ),
};

/** Returns the agent with its arguments checked. */
export function checkedAgent(agent: Agent): Agent {
  return withCheckedCalls(agent, "agent", checks);
}
