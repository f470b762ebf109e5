// Assembles tool calls from the deltas of a Chat Completions stream.
// Invariant: calls are emitted only at the end of the stream, since deltas of several calls may interleave.
import type OpenAI from "openai";

type CallDelta = Partial<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall>;

export interface CollectedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

export interface CallCollector {
  add(delta: CallDelta): void;
  /** Returns the calls in the order in which they began. */
  calls(): readonly CollectedCall[];
}

interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  json: string;
}

/** `newCallId` creates ids for calls of servers that send none. */
export function createCallCollector(newCallId: () => string): CallCollector {
  const partials: PartialCall[] = [];
  return {
    add(delta) {
      const open = partials.findLast((call) => delta.index === undefined || call.index === delta.index);
      let call = open;
      if (call === undefined || startsAnother(call, delta)) {
        call = { index: delta.index, id: "", name: "", json: "" };
        partials.push(call);
      }
      call.id ||= delta.id ?? "";
      call.name ||= delta.function?.name ?? "";
      call.json += delta.function?.arguments ?? "";
    },
    calls: () =>
      partials.map(({ id, name, json }) => ({ callId: id || newCallId(), name, arguments: json.trim() ? json : "{}" })),
  };
}

// Some servers give every call the index 0, or none: a different id then starts another call, and so does a name after
// complete arguments. Other servers repeat id and name in every delta of a call.
function startsAnother(call: PartialCall, delta: CallDelta): boolean {
  if (delta.id && call.id) return delta.id !== call.id;
  return Boolean(delta.function?.name) && isCompleteJson(call.json);
}

function isCompleteJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
