// A request's messages as turns that alternate between user and assistant: what all providers have in common.
// Invariant: starts with a user turn; no turn and no text is empty; the results of calls open the turn after them;
// all text is well-formed Unicode; ids of calls are unique.
import type { FilePart } from "../../file-part.ts";
import type { Message, TextPart, ThoughtPart, ToolCallPart, ToolResultPart } from "../../message.ts";
import { type CallIds, createCallIds, wireToolName } from "./wire-names.ts";

export interface UserTurn {
  readonly role: "user";
  readonly results: readonly ToolResultPart[];
  readonly said: readonly SaidPart[];
}

export type SaidPart = TextPart | FilePart;

export type AssistantPart = TextPart | ThoughtPart | ToolCallPart;

export interface AssistantTurn {
  readonly role: "assistant";
  /** Never ends with a thought: providers refuse a thought that nothing came of. */
  readonly parts: readonly AssistantPart[];
}

export type Turn = UserTurn | AssistantTurn;

const opening: UserTurn = {
  role: "user",
  results: [],
  said: [{ type: "text", text: "(Earlier messages are not shown.)" }],
};

/** The turns of a request's messages. */
export function toTurns(messages: readonly Message[]): readonly Turn[] {
  const ids = createCallIds();
  const turns: Turn[] = [];
  for (const message of messages) {
    append(turns, message.role === "assistant" ? assistantTurn(message, ids) : userTurn(message, ids));
  }
  return turns[0]?.role === "user" ? turns : [opening, ...turns];
}

function append(turns: Turn[], turn: Turn): void {
  if (isEmpty(turn)) return;
  const last = turns.at(-1);
  if (last?.role === "user" && turn.role === "user") {
    const said = [...last.said, ...turn.said];
    turns[turns.length - 1] = { role: "user", results: [...last.results, ...turn.results], said };
  } else if (last?.role === "assistant" && turn.role === "assistant") {
    turns[turns.length - 1] = { role: "assistant", parts: [...last.parts, ...turn.parts] };
  } else {
    turns.push(turn);
  }
}

function isEmpty(turn: Turn): boolean {
  return turn.role === "assistant" ? turn.parts.length === 0 : turn.results.length + turn.said.length === 0;
}

function userTurn(message: Message, ids: CallIds): UserTurn {
  const results: ToolResultPart[] = [];
  const said: SaidPart[] = [];
  for (const part of message.content) {
    if (part.type === "tool-result") results.push(wireResult(part, ids));
    if (part.type === "text" && part.text.trim() !== "") said.push({ type: "text", text: part.text.toWellFormed() });
    if (part.type === "file") said.push(part);
  }
  return { role: "user", results, said };
}

function wireResult(part: ToolResultPart, ids: CallIds): ToolResultPart {
  const text = part.text.trim() === "" ? "(no output)" : part.text.toWellFormed();
  return { ...part, callId: ids.ofResult(part.callId), text };
}

function assistantTurn(message: Message, ids: CallIds): AssistantTurn {
  const parts = message.content.flatMap((part) => assistantPart(part, ids));
  const end = parts.findLastIndex((part) => part.type !== "thought");
  return { role: "assistant", parts: parts.slice(0, end + 1) };
}

function assistantPart(part: Message["content"][number], ids: CallIds): readonly AssistantPart[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text.toWellFormed() }];
    case "thought":
      return [{ ...part, text: part.text.toWellFormed() }];
    case "tool-call":
      return [{ ...part, callId: ids.ofCall(part.callId), name: wireToolName(part.name) }];
    case "tool-result":
    case "file":
      return [];
  }
}
