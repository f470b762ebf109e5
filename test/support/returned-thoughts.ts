// A server that speaks Chat Completions with DeepSeek's rule for thoughts: in a turn with calls, each reply comes back with the
// `reasoning_content` that it was given with; in other turns the field does not matter.
import type { ServerResponse } from "node:http";
import { createThinkingServer, newFact, type ThinkingServer } from "./thinking-server.ts";

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

interface Body {
  readonly tools?: unknown;
  readonly messages: readonly Message[];
}

export function createReturnedThoughtsServer(): Promise<ThinkingServer> {
  const given = new Set<string>();
  return createThinkingServer(({ messages }: Body) => {
    const replies = turnsOf(messages).flatMap((turn) => {
      const made = turn.filter(({ role }) => role === "assistant");
      const isFree = made.every(({ tool_calls: calls = [] }) => calls.length === 0);
      return made.map(({ reasoning_content: thought = "" }) => isFree || given.has(thought));
    });
    const thoughts = replies.filter(Boolean).length;
    const refused =
      thoughts < replies.length ? "The `reasoning_content` in the thinking mode must be passed back to the API." : null;
    return {
      seen: { refused, thoughts, withoutThought: replies.length - thoughts, entries: [] },
      reply(response) {
        if (refused === null) return answer(response, messages, given);
        const error = { type: "invalid_request_error", message: refused };
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      },
    };
  });
}

/** Returns the messages between the user's. */
function turnsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [[]];
  for (const message of messages) {
    if (message.role === "user") turns.push([]);
    turns.at(-1)!.push(message);
  }
  return turns;
}

function answer(response: ServerResponse, messages: readonly Message[], given: Set<string>): void {
  const turn = turnsOf(messages).at(-1)!;
  const made = turn.filter(({ role }) => role === "assistant").length;
  const wantsCalls = (turn[0]?.content ?? "").includes("three tools") && made < 3;
  const fact = newFact();
  const thought = `I think of ${fact}.`;
  given.add(thought);
  const send = (delta: object, finish_reason: string | null = null): void => {
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ role: "assistant", content: null, reasoning_content: thought.slice(0, 5) });
  send({ reasoning_content: thought.slice(5) });
  if (wantsCalls) {
    const call = { name: "core_memory_append", arguments: JSON.stringify({ name: "human", content: fact }) };
    send({ tool_calls: [{ index: 0, id: fact.replace(" ", "_"), type: "function", function: call }] });
  } else send({ content: "done" });
  send({}, wantsCalls ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}
