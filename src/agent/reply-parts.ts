// Collects the deltas of one reply into content parts.
// Invariant: a retry discards everything before it, and no two calls of a reply share an id.
import { storableText } from "../base/code-points.ts";
import type { ModelEvent } from "../model/llm/model.ts";
import { type Usage, type ContentPart, type ToolCallPart, toolCallsOf } from "../base/message/message.ts";

export interface ReplyParts {
  add(event: ModelEvent): void;
  all(): readonly ContentPart[];
  /** The text parts, which are kept of an interrupted reply. */
  textParts(): readonly ContentPart[];
  text(): string;
  /** The tokens of the running attempt; null if there is none, between two attempts. */
  attempt(): Attempt | null;
  /** The number of tool calls. */
  callCount(): number;
}

/** The reported tokens: null if there are none yet, final after the end of the reply. */
export interface Attempt {
  readonly reported: Usage | null;
  readonly isEnded: boolean;
}

export function createReplyParts(): ReplyParts {
  let parts: ContentPart[] = [];
  let attempt: Attempt | null = { reported: null, isEnded: false };

  const addText = (type: "text" | "thought", text: string): void => {
    const last = parts.at(-1);
    const open = last?.type === type && !("signature" in last);
    if (open) parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ type, text });
  };

  const add = (event: ModelEvent): void => {
    if (event.type === "text-delta") addText("text", event.text);
    if (event.type === "thought-delta") addText("thought", event.text);
    if (event.type === "thought-signature") sign(event.signature);
    if (event.type === "tool-call") parts.push(uniqueCall(parts, event));
    if (event.type === "retry") parts = [];
    attempt = attemptAfter(attempt, event);
  };

  const sign = (signature: string): void => {
    const last = parts.at(-1);
    if (last?.type === "thought" && last.signature === undefined) parts[parts.length - 1] = { ...last, signature };
    else parts.push({ type: "thought", text: "", signature });
  };

  const textParts = (): readonly ContentPart[] => parts.filter((part) => part.type === "text" && part.text !== "");
  return {
    add,
    all: () => parts,
    attempt: () => attempt,
    textParts,
    callCount: () => toolCallsOf({ content: parts }).length,
    text: () =>
      textParts()
        .map((part) => (part.type === "text" ? part.text : ""))
        .join(""),
  };
}

function attemptAfter(attempt: Attempt | null, event: ModelEvent): Attempt | null {
  if (event.type === "retry") return null;
  if (event.type === "usage" || event.type === "end") return { reported: event.usage, isEnded: event.type === "end" };
  return attempt ?? { reported: null, isEnded: false };
}

function uniqueCall(
  parts: readonly ContentPart[],
  { callId, name, arguments: text }: Extract<ModelEvent, { type: "tool-call" }>,
): ToolCallPart {
  const taken = new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
  // Compared as stored, because two ids may differ only in characters that cannot be stored.
  const id = storableText(callId);
  let unique = id;
  for (let count = 2; taken.has(unique); count += 1) unique = `${id}_${count}`;
  return { type: "tool-call", callId: unique, name, arguments: text };
}
