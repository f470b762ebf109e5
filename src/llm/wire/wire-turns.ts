// Converts a request's messages to alternating user and assistant turns, the form common to all providers.
// Invariant: starts with a user turn; no turn and no text is empty; results of calls open the turn after them; all text
// is well-formed Unicode without NUL; call ids are unique; no turn has more calls than a provider accepts.
import { storableText } from "../../base/code-points.ts";
import type { FilePart } from "../../message/file-part.ts";
import type { Message, TextPart, ThoughtPart, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { type CallIds, createCallIds, wireToolName } from "./wire-names.ts";

export interface UserTurn {
  readonly role: "user";
  readonly results: readonly ToolResultPart[];
  readonly parts: readonly UserPart[];
}

export type UserPart = TextPart | FilePart;

export type AssistantPart = TextPart | ThoughtPart | ToolCallPart;

export interface AssistantTurn {
  readonly role: "assistant";
  /** Never ends with a thought: providers refuse a thought without a continuation. */
  readonly parts: readonly AssistantPart[];
}

export type Turn = UserTurn | AssistantTurn;

const opening: UserTurn = {
  role: "user",
  results: [],
  parts: [{ type: "text", text: "(Earlier messages are not shown.)" }],
};

/** Returns the turns of a request's messages. */
export function toTurns(messages: readonly Message[]): readonly Turn[] {
  const ids = createCallIds();
  const turns: Turn[] = [];
  for (const message of messages) {
    append(turns, message.role === "assistant" ? assistantTurn(message, ids) : userTurn(message, ids));
  }
  return splitCalls(turns[0]?.role === "user" ? turns : [opening, ...turns]);
}

function append(turns: Turn[], turn: Turn): void {
  if (isEmpty(turn)) return;
  const last = turns.at(-1);
  if (last?.role === "user" && turn.role === "user") {
    const parts = [...last.parts, ...turn.parts];
    turns[turns.length - 1] = { role: "user", results: [...last.results, ...turn.results], parts };
  } else if (last?.role === "assistant" && turn.role === "assistant") {
    turns[turns.length - 1] = { role: "assistant", parts: [...last.parts, ...turn.parts] };
  } else {
    turns.push(turn);
  }
}

/** OpenAI refuses a message with more than 128 calls; the other providers publish no limit. */
const maxCallsPerTurn = 64;

/** Splits a reply with too many calls into several, each followed by the results of its own calls. */
function splitCalls(turns: readonly Turn[]): readonly Turn[] {
  const split: Turn[] = [];
  for (const turn of turns) {
    const reply = split.at(-1);
    if (turn.role === "user" && reply?.role === "assistant") split.splice(-1, 1, ...answeredPieces(reply, turn));
    else split.push(turn);
  }
  return split;
}

function answeredPieces({ parts }: AssistantTurn, { results, parts: userParts }: UserTurn): readonly Turn[] {
  const pieces = piecesOf(parts);
  const last = pieces.length - 1;
  const places = new Map(
    pieces.flatMap((piece, at) => piece.map((part) => [part.type === "tool-call" ? part.callId : "", at] as const)),
  );
  return pieces.flatMap((piece, at): readonly Turn[] => [
    { role: "assistant", parts: piece },
    {
      role: "user",
      results: results.filter(({ callId }) => (places.get(callId) ?? last) === at),
      parts: at === last ? userParts : [],
    },
  ]);
}

/** Each part but the last ends with a call, so that none ends with a thought. */
function piecesOf(parts: readonly AssistantPart[]): readonly (readonly AssistantPart[])[] {
  const pieces: AssistantPart[][] = [[]];
  let calls = 0;
  for (const part of parts) {
    if (calls === maxCallsPerTurn) {
      pieces.push([]);
      calls = 0;
    }
    pieces.at(-1)?.push(part);
    if (part.type === "tool-call") calls += 1;
  }
  return pieces;
}

function isEmpty(turn: Turn): boolean {
  return turn.role === "assistant" ? turn.parts.length === 0 : turn.results.length + turn.parts.length === 0;
}

function userTurn(message: Message, ids: CallIds): UserTurn {
  const results: ToolResultPart[] = [];
  const parts: UserPart[] = [];
  for (const part of message.content) {
    if (part.type === "tool-result") results.push(wireResult(part, ids));
    if (part.type === "text" && part.text.trim() !== "") parts.push({ type: "text", text: storableText(part.text) });
    if (part.type === "file") parts.push(part);
  }
  return { role: "user", results, parts };
}

function wireResult(part: ToolResultPart, ids: CallIds): ToolResultPart {
  const text = part.text.trim() === "" ? "(no output)" : storableText(part.text);
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
      return part.text.trim() === "" ? [] : [{ type: "text", text: storableText(part.text) }];
    case "thought":
      return [{ ...part, text: storableText(part.text) }];
    case "tool-call":
      return [{ ...part, callId: ids.ofCall(part.callId), name: wireToolName(part.name) }];
    case "tool-result":
    case "file":
      return [];
  }
}
