// A server that speaks Anthropic's Messages API with the documented rules of preserved thinking: each thought is bound to system, tools
// and all messages before it, a changed prefix is refused, and so are a thinking budget, a forced call, and a system message that is
// not directly after a user turn, or neither last nor followed by an assistant turn.
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createThinkingServer, newFact, type ThinkingServer } from "./thinking-server.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly signature?: string;
  readonly cache_control?: unknown;
}

interface Body {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly thinking?: { readonly type: string };
  readonly tool_choice?: { readonly type: string };
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

export const createBoundThoughtsServer = (): Promise<ThinkingServer> =>
  createThinkingServer((body: Body) => {
    const replies = body.messages.filter(({ role }) => role === "assistant");
    const thoughts = replies.filter(({ content }) => content.some(({ type }) => type === "thinking")).length;
    const refused = refusalOf(body);
    return {
      seen: { refused, thoughts, withoutThought: replies.length - thoughts, entries: entriesOf(body) },
      reply(response) {
        if (refused === null) return answer(response, body);
        const error = { type: "invalid_request_error", message: refused };
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
      },
    };
  });

function entriesOf({ messages }: Body): readonly string[] {
  return messages.filter(({ role }) => role === "system").map(({ content }) => JSON.stringify(content));
}

function refusalOf(body: Body): string | null {
  const { messages, thinking, tool_choice: choice } = body;
  if (thinking !== undefined && thinking.type !== "adaptive") return `thinking.type.${thinking.type} is not supported.`;
  if (choice !== undefined && choice.type !== "auto") return "tool_choice: forced tool use is not supported.";
  for (const [at, { role, content }] of messages.entries()) {
    if (role === "system" && !isPlaced(messages, at))
      return "A system message must follow a user turn, and be last or followed by an assistant turn.";
    for (const [place, { type, signature }] of content.entries())
      if (type === "thinking" && signature !== signatureAt(body, at, place))
        return `messages.${at}.content.${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
  }
  return null;
}

/** Whether a system message may have this place. */
function isPlaced(messages: Body["messages"], at: number): boolean {
  return messages[at - 1]?.role === "user" && (messages[at + 1]?.role ?? "assistant") === "assistant";
}

/** Returns the signature of a thought in that place. */
function signatureAt({ system, tools, messages }: Body, at: number, place: number): string {
  const before = [messages.slice(0, at), messages[at]?.content.slice(0, place) ?? []];
  const text = JSON.stringify([system, tools, before], (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
  return createHash("sha256").update(text).digest("hex");
}

function answer(response: ServerResponse, body: Body): void {
  const { messages } = body;
  const asked = messages.findLastIndex(({ content }) =>
    content.some(({ type, text }) => type === "text" && text?.startsWith("[")),
  );
  const made = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const wantsCalls = JSON.stringify(messages[asked] ?? "").includes("three tools") && made < 3;
  const fact = newFact();
  const send = (type: string, more: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const message = {
    id: "msg",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  send("message_start", { message });
  const block = (index: number, content: object, delta: object): void => {
    send("content_block_start", { index, content_block: content });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  };
  const signature = signatureAt(body, messages.length, 0);
  block(0, { type: "thinking", thinking: "", signature: "" }, { type: "signature_delta", signature });
  if (wantsCalls) {
    const input = JSON.stringify({ name: "human", content: fact });
    const call = { type: "tool_use", id: fact.replace(" ", "_"), name: "core_memory_append", input: {} };
    block(1, call, { type: "input_json_delta", partial_json: input });
  } else block(1, { type: "text", text: "" }, { type: "text_delta", text: "done" });
  const delta = { stop_reason: wantsCalls ? "tool_use" : "end_turn", stop_sequence: null };
  send("message_delta", { delta, usage: { output_tokens: 5 } });
  send("message_stop", {});
  response.end();
}
