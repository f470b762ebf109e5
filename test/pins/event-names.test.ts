// The events of a turn, their fields, the stop reasons and the warning codes, as programs read them.
// The expected values are literal. The compiler compares them with the types (`npm run check:types`), in both directions;
// the tests compare them with the events of a real turn.
import type { AgentEvent, AgentEventType, StopReason, WarningCode } from "../../src/agent/events.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

type Header = "agentId" | "conversationId" | "turnId" | "sequence" | "type";

/** Every event with its fields, without the header. */
interface PinnedFields {
  "turn-queued": "holder" | "ahead";
  "turn-start": "messageId" | "replyId" | "files";
  "step-start": "step" | "messageId" | "model" | "window";
  "text-delta": "step" | "text";
  "thought-delta": "step" | "text";
  "tool-call": "step" | "callId" | "name" | "arguments";
  "tool-result": "step" | "callId" | "name" | "status" | "text" | "files" | "printed";
  "approval-requested": "step" | "callId" | "name" | "arguments" | "preview" | "expiresAt";
  "result-requested": "step" | "callId" | "name" | "arguments";
  "memory-edit": "step" | "callId" | "label" | "before" | "after" | "revision" | "limit";
  "memory-revert": "edits" | "passages";
  compaction: "id" | "strategy" | "messages" | "tokensBefore" | "tokensAfter" | "summary";
  warning: "code" | "message";
  retry: "step" | "attempt" | "delayMs" | "reason";
  "step-end": "step" | "usage";
  "turn-end": "stopReason" | "text" | "steps" | "usage" | "error";
}

type PinnedStopReason =
  | "end-turn"
  | "max-steps"
  | "budget"
  | "length"
  | "refusal"
  | "interrupted"
  | "tool-rule"
  | "awaiting-approval"
  | "awaiting-result"
  | "awaiting-reply"
  | "model-error"
  | "context-overflow";

type PinnedWarning =
  | "memory-pressure"
  | "summary-failed"
  | "summary-clipped"
  | "calls-recovered"
  | "inputs-recovered"
  | "approval-superseded"
  | "scratchpad-failed"
  | "facts-not-kept"
  | "passages-evicted"
  | "lookup-incomplete";

type RealFields = {
  [Type in AgentEventType]: Exclude<keyof Extract<AgentEvent, { readonly type: Type }>, Header>;
};

/** `true`, or a type that nothing can be given: then the compiler stops here. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

const pinnedTypes: {
  readonly fields: Same<PinnedFields, RealFields>;
  readonly header: Same<Header, keyof AgentEvent>;
  readonly stopReasons: Same<PinnedStopReason, StopReason>;
  readonly warnings: Same<PinnedWarning, WarningCode>;
} = { fields: true, header: true, stopReasons: true, warnings: true };

const runtimes = useRuntimes();

test("events, fields, stop reasons and warnings are those listed here", () => {
  expect(Object.values(pinnedTypes)).toEqual([true, true, true, true]);
});

test("a turn with an edit yields these events, with these fields", async () => {
  const model = createScriptedModel({
    replies: [
      {
        thought: "Keep it.",
        toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "Likes tea." } }],
      },
      { text: "Noted." },
    ],
  });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const agent = await runtime.agents.open("pinned", { create: {} });
  const shapes = (await drain(agent.send("I like tea."))).map(
    (event) => `${event.type}: ${Object.keys(event).join(" ")}`,
  );
  expect(shapes).toEqual([
    "turn-start: agentId conversationId turnId sequence type messageId",
    "step-start: agentId conversationId turnId sequence type step messageId model window",
    "thought-delta: agentId conversationId turnId sequence type step text",
    "tool-call: agentId conversationId turnId sequence type step callId name arguments",
    "tool-result: agentId conversationId turnId sequence type step callId name status text",
    "memory-edit: agentId conversationId turnId sequence type step callId label before after revision limit",
    "step-end: agentId conversationId turnId sequence type step usage",
    "step-start: agentId conversationId turnId sequence type step messageId model window",
    "text-delta: agentId conversationId turnId sequence type step text",
    "step-end: agentId conversationId turnId sequence type step usage",
    "turn-end: agentId conversationId turnId sequence type stopReason text steps usage",
  ]);
});
