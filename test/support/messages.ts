// Stored messages for tests of what is built from them.
import type { Agent } from "../../src/agent/agent.ts";
import type { ContentPart } from "../../src/base/message/message.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";

let count = 0;

/** A message of ten tokens, unless said otherwise. */
export function storedMessage(fields: Partial<StoredMessage> & Pick<StoredMessage, "role">): StoredMessage {
  count += 1;
  const content: readonly ContentPart[] = fields.content ?? [{ type: "text", text: `message ${count}` }];
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const at = new Date(Date.UTC(2026, 10, 21, 10, 0, count));
  return {
    id: `m${count}`,
    parentId: null,
    turnId: "t",
    kind: "message",
    status: "complete",
    content,
    text,
    tokens: 10,
    trust: fields.role === "user" ? "user" : "model",
    at,
    ...fields,
  };
}

export function calling(...callIds: readonly string[]): StoredMessage {
  return storedMessage({
    role: "assistant",
    content: callIds.map((callId) => ({ type: "tool-call", callId, name: "echo", arguments: "{}" })),
  });
}

export const resultOf = (callId: string): StoredMessage =>
  storedMessage({
    role: "tool",
    content: [{ type: "tool-result", callId, name: "echo", status: "ok", text: "done" }],
  });

const minute = String.raw`\w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}`;
const timeMark = new RegExp(`^\\[${minute}\\] `, "gmu");
const transcriptTime = new RegExp(`^user, ${minute}`, "gmu");

/** Text that a model was sent, without the times of the user's messages. */
export const withoutTimes = (text: string): string => text.replaceAll(timeMark, "").replaceAll(transcriptTime, "user");

/** The texts of an input, one per line. */
export const textsOf = (input: Parameters<Agent["send"]>[0]): string =>
  typeof input === "string" ? input : input.messages.map(({ text }) => text).join("\n");
