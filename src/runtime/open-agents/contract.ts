// Defines the operations on an agent that is open in a conversation: run turns, decide about calls, and change the thread.
// Invariant: a turn that was started through `/api` continues if the client disconnects. This file checks types only.
import type { AgentFunctions, RevertMode } from "../../agent/agent.ts";
import {
  compactionResultFields,
  editedReplyFields,
  revertedFields,
  sideAnswerFields,
  toolDescriptionFields,
  undoneCompactionFields,
  windowFields,
} from "../../agent/agent-results.ts";
import { anything, optional, textOrWith } from "../../base/arguments/argument-checks.ts";
import {
  callResult,
  ownTurnOptions,
  readOptions,
  sendOptions,
  sentMessages,
  turnOptions,
} from "../../agent/turn-options.ts";
import { form, optionsOf } from "../../base/arguments/forms.ts";
import { compactionFields } from "../../store/port/records.ts";
import { loggedStepFields } from "../../store/port/step-store.ts";
import { chat, type Contract, optionalOptions, optionalValue, read, value } from "../contract.ts";

const input = {
  name: "input",
  check: textOrWith(
    "messages",
    optionsOf(sentMessages, { required: ["messages"] }),
    'Pass the text of the message itself: agent.send("Hello"); files go in `files` of the options. Pass several messages as { messages: […] }.',
  ),
};

/** The last message that the caller has read. The call is refused if the window now ends with another one. */
const unchanged = { lastMessageId: form.nullable(form.id) };
/** `memory`: whether memory edits of removed messages are reverted; default `revert`. */
const revert = { memory: form.choice<RevertMode>("revert", "keep", "force"), ...unchanged };

const own = { own: ownTurnOptions };
const stopped = { own: { signal: ownTurnOptions.signal } };
const ofTurn = optionalOptions(turnOptions, own);
const callId = value("callId", form.text);
const text = value("text", form.text);
const limit = optionalValue("limit", form.count);

const path = "/agents/:agent/conversations/:conversation" as const;

export const openAgentContract = {
  context: {
    args: [],
    http: read(
      `GET ${path}/window`,
      "Get the request that the model would receive now, with a report on the window",
      windowFields,
    ),
  },
  describeTools: {
    args: [],
    http: read(`GET ${path}/tools`, "List the tools of the agent, and whether their calls wait for approval", [
      toolDescriptionFields,
    ]),
  },
  steps: {
    args: [limit],
    http: read(`GET ${path}/steps`, "List model calls, newest first, each with the report on its window", [
      loggedStepFields,
    ]),
  },
  step: {
    args: [value("ordinal", form.ordinal)],
    http: read(`GET ${path}/steps/:ordinal`, "Get a model call by its number", loggedStepFields),
  },
  send: {
    args: [input, { name: "options", check: optional(optionsOf({ ...sendOptions, output: form.program(anything) })) }],
    http: "`start` and `events` of `/api` are in `turn-routes.ts`.",
    isImmediate: true,
  },
  start: {
    args: [input, { name: "options", check: optional(optionsOf(sendOptions)) }],
    http: "`POST …/turns` takes files as URLs.",
  },
  events: {
    args: [value("turnId", form.text), { name: "options", check: optional(optionsOf(readOptions)) }],
    http: "`GET …/turns/:turn/events` also continues a turn whose process has ended.",
    isImmediate: true,
  },
  stop: {
    args: [],
    http: chat(`POST ${path}/stop`, "Stop the running turn, and keep what it streamed", value("isStopped", form.flag), {
      callsNoModel: true,
    }),
  },
  close: { args: [], http: "No conversation of `/api` is ephemeral." },
  resume: {
    args: [optionalOptions({ ...turnOptions, turnId: form.id }, own)],
    http: chat(`POST ${path}/resume`, "Continue a turn that a failure or an interruption ended early", "events"),
    isImmediate: true,
  },
  approve: {
    args: [callId, optionalOptions({ ...turnOptions, arguments: form.object() }, own)],
    http: chat(`POST ${path}/calls/:call/approve`, "Approve a waiting tool call, and continue the turn", "events"),
    isImmediate: true,
  },
  answer: {
    args: [value("results", form.list(callResult, "Pass `[{ callId, status, text }]`, even for one result.")), ofTurn],
    http: chat(
      `POST ${path}/results`,
      "Give the results of calls that the client ran, and continue the turn",
      "events",
    ),
    isImmediate: true,
  },
  deny: {
    args: [callId, optionalOptions({ ...turnOptions, reason: form.text }, own)],
    http: chat(`POST ${path}/calls/:call/deny`, "Deny a waiting tool call, and continue the turn", "events"),
    isImmediate: true,
  },
  raise: {
    args: [value("event", form.choice("heartbeat", "memory-warning")), ofTurn],
    http: chat(`POST ${path}/raise`, "Run a turn without a message of the user", "events"),
    isImmediate: true,
  },
  retry: {
    args: [optionalOptions({ ...turnOptions, ...revert }, own)],
    http: chat(`POST ${path}/retry`, "Answer the last message of the user again", "events"),
    isImmediate: true,
  },
  regenerate: {
    args: [value("messageId", form.id), optionalOptions({ ...turnOptions, ...revert }, own)],
    http: chat(`POST ${path}/regenerate`, "Run the turn again from any message of the thread", "events"),
    isImmediate: true,
  },
  branches: { args: [], http: "`conversations.branches` reads the branches without opening the agent." },
  switchTo: {
    args: [value("messageId", form.nullable(form.id))],
    http: chat(`POST ${path}/switch`, "Continue from another message of the tree", null, { callsNoModel: true }),
  },
  pop: {
    args: [optionalValue("count", form.number), optionalOptions(revert)],
    http: chat(`POST ${path}/pop`, "Remove the last messages, and revert their changes of memory", revertedFields, {
      callsNoModel: true,
    }),
  },
  compact: {
    args: [optionalOptions({ focus: form.text }, stopped)],
    http: chat(`POST ${path}/compact`, "Summarize older messages now", compactionResultFields),
  },
  clearWindow: {
    args: [],
    http: chat(
      `POST ${path}/clear-window`,
      "Remove all messages from the window without a summary; null if there were none",
      form.nullable(form.record(compactionResultFields)),
      { callsNoModel: true },
    ),
  },
  undoCompaction: {
    args: [],
    http: chat(`POST ${path}/undo-compaction`, "Undo the newest compaction of the window", undoneCompactionFields, {
      callsNoModel: true,
    }),
  },
  compactions: {
    args: [limit],
    http: read(`GET ${path}/compactions`, "List the compactions of the window, newest first", [compactionFields]),
  },
  rewrite: {
    args: [text, optionalOptions(unchanged)],
    http: chat(
      `POST ${path}/rewrite`,
      "Replace the text of the last reply; the original becomes a branch",
      editedReplyFields,
      { callsNoModel: true },
    ),
  },
  rethink: {
    args: [text, optionalOptions(unchanged)],
    http: chat(
      `POST ${path}/rethink`,
      "Replace the thought of the last reply; the original becomes a branch",
      editedReplyFields,
      { callsNoModel: true },
    ),
  },
  ask: {
    args: [value("question", form.text), optionalOptions({}, stopped)],
    http: chat(`POST ${path}/ask`, "Answer a question from the window, without storing anything", sideAnswerFields),
  },
  undoEdit: {
    args: [optionalValue("label", form.text), optionalOptions({ revision: form.ordinal, force: form.flag })],
    http: "`memory.undo` does the same without opening the agent.",
  },
} as const satisfies Contract<AgentFunctions>;
