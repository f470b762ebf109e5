// Implements MemGPT's protocol: only send_message shows text, and the turn continues when a call requests a heartbeat.
// Invariant: message formats and words are MemGPT's (system.py and agent.py, tag 0.3.25); the JSON around them is made
// only here.
import { formatTimestamp } from "../../base/calendar.ts";
import { type JsonObject, parseObject } from "../../base/json-values.ts";
import { type Message, textOf, textWithFiles, type ToolCallPart, toolCallsOf } from "../../base/message/message.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { Tool } from "../../tool/tool.ts";
import type { EventDraft, FollowUp, ProtocolClock, ProtocolRules, StepSummary } from "./protocol.ts";
import { reword, type Reworded, wordsOf } from "./reword.ts";

const hidden = "[This is an automated system message hidden from the user] ";
const heartbeatReason = `${hidden}Function called using request_heartbeat=true, returning control`;
const failureReason = `${hidden}Function call failed, returning control`;
const pressureText =
  `${hidden}Warning: the conversation history will soon reach its maximum length and be trimmed. ` +
  "Save any important information from the conversation to your memory with core_memory_append, core_memory_replace or archival_memory_insert.";
const timerReason = "Automated timer";
const heartbeatParameter = "request_heartbeat";
const heartbeatDescription =
  "Whether to wake you again with the result of this call, so that you can go on: to answer, or to call another function.";
/** Tools without the parameter `request_heartbeat`. */
const toolsWithoutHeartbeat: readonly string[] = ["send_message", "pause_heartbeats"];

export const heartbeatProtocol: ProtocolRules = {
  name: "heartbeat",
  plainText: "thought",
  toolChoice: "auto",
  warnsBy: "event",
  reservedParameters: [heartbeatParameter],
  minMessages: 2,
  boot,
  render,
  describe,
  visibleTextOfCall,
  visibleTextOf,
  followUp,
  raised: (event, clock) => (event === "heartbeat" ? heartbeat(timerReason, clock) : pressureAlert(clock)),
  rewritten,
  rethought: (content, text) => reword(content, wordsOf("text", "thought"), { type: "text", text }),
};

function boot(clock: ProtocolClock): readonly EventDraft[] {
  const callId = "boot";
  const message = "More human than human is our motto.";
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: "Bootup sequence complete. Persona activated. Testing messaging functionality." },
        { type: "tool-call", callId, name: "send_message", arguments: JSON.stringify({ message }) },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          callId,
          name: "send_message",
          status: "ok",
          text: envelope({ status: "OK", message: null }, clock),
        },
      ],
    },
    userEvent({ type: "login", last_login: "Never (first login)" }, clock),
  ];
}

function render({ role, kind, speaker, content, at }: StoredMessage, timeZone: string): Message {
  if (kind === "event") return { role, content };
  const clock = { now: at, timeZone };
  if (role === "user") {
    const type = kind === "system" ? "system_message" : "user_message";
    const name = speaker === undefined ? {} : { name: speaker };
    const enveloped = envelope({ type, message: textOf({ content }), ...name }, clock);
    return { role, content: [{ type: "text", text: enveloped }, ...content.filter((part) => part.type === "file")] };
  }
  return {
    role,
    content: content.map((part) =>
      part.type === "tool-result"
        ? { ...part, text: envelope({ status: part.status === "ok" ? "OK" : "Failed", message: part.text }, clock) }
        : part,
    ),
  };
}

function describe({ name, description, parameters: { jsonSchema } }: Tool): ReturnType<ProtocolRules["describe"]> {
  if (toolsWithoutHeartbeat.includes(name)) return { name, description, parameters: jsonSchema };
  const properties = jsonSchema["properties"] as Record<string, unknown>;
  const required = jsonSchema["required"] as readonly string[];
  return {
    name,
    description,
    parameters: {
      ...jsonSchema,
      properties: { ...properties, [heartbeatParameter]: { type: "boolean", description: heartbeatDescription } },
      required: [...required, heartbeatParameter],
    },
  };
}

function visibleTextOfCall(call: ToolCallPart): string {
  if (call.name !== "send_message") return "";
  const message = argumentsOf(call)["message"];
  return typeof message === "string" ? message : "";
}

function visibleTextOf(message: Message): string {
  if (message.role === "user") return textWithFiles(message);
  return toolCallsOf(message)
    .map(visibleTextOfCall)
    .filter((text) => text !== "")
    .join("\n");
}

// Appends the warning, the failure notice and the heartbeat, in this order. MemGPT sent only the warning if there was one.
function followUp({ calls, someCallFailed, pressure, demand }: StepSummary, clock: ProtocolClock): FollowUp {
  const asked =
    demand?.continues === true ||
    calls.some((call) => !toolsWithoutHeartbeat.includes(call.name) && argumentsOf(call)[heartbeatParameter] === true);
  const events = [
    ...(pressure ? [pressureAlert(clock)] : []),
    ...(someCallFailed ? [heartbeat(failureReason, clock)] : []),
    ...(asked ? [heartbeat(heartbeatReason, clock)] : []),
  ];
  if (events.length > 0 || demand === undefined || demand.missing.length === 0)
    return { continues: events.length > 0, events };
  const message = `${hidden}Before this turn can end, call ${demand.missing.join(" and ")}.`;
  return { continues: true, events: [userEvent({ type: "system_alert", message }, clock)] };
}

// Rewrites the text of the last `send_message` call that has one, because the user saw that text last.
function rewritten(content: Message["content"], text: string): Reworded | null {
  const visibleCall = toolCallsOf({ content }).findLast((call) => visibleTextOfCall(call).trim() !== "");
  if (visibleCall === undefined) return null;
  const call = { ...visibleCall, arguments: JSON.stringify({ ...argumentsOf(visibleCall), message: text }) };
  return reword(content, (part) => (part === visibleCall ? visibleTextOfCall(visibleCall) : ""), call);
}

function heartbeat(reason: string, clock: ProtocolClock): EventDraft {
  return userEvent({ type: "heartbeat", reason }, clock);
}

function pressureAlert(clock: ProtocolClock): EventDraft {
  return userEvent({ type: "system_alert", message: pressureText }, clock);
}

function userEvent(body: Readonly<Record<string, unknown>>, clock: ProtocolClock): EventDraft {
  return { role: "user", content: [{ type: "text", text: envelope(body, clock) }] };
}

function envelope(body: Readonly<Record<string, unknown>>, { now, timeZone }: ProtocolClock): string {
  return JSON.stringify({ ...body, time: formatTimestamp(now, timeZone) });
}

// Returns the arguments, or {} if they are malformed, because the tool validates them later.
function argumentsOf(call: ToolCallPart): JsonObject {
  return parseObject(call.arguments) ?? {};
}
