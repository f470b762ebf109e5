// A server that speaks OpenAI's Responses API with its rules for reasoning items: each comes back exactly as it was given, directly before
// the item that it led to.
import type { ServerResponse } from "node:http";
import { createThinkingServer, newFact, type ThinkingServer } from "./thinking-server.ts";

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}

interface Body {
  readonly tools?: unknown;
  readonly input: readonly Item[];
}

export function createReasoningServer(): Promise<ThinkingServer> {
  const given = new Set<string>();
  return createThinkingServer((body: Body) => {
    const { input } = body;
    const places = input.flatMap((item, at) => (isReply(item) ? [at] : []));
    const thoughts = places.filter((at) => input[at - 1]?.type === "reasoning").length;
    const refused = refusalOf(body, given);
    return {
      seen: { refused, thoughts, withoutThought: places.length - thoughts, entries: entriesOf(body) },
      reply(response) {
        if (refused === null) return answer(response, body, given);
        const error = { code: "invalid_encrypted_content", message: refused };
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      },
    };
  });
}

function isReply({ type, role }: Item | undefined = {}): boolean {
  return type === "function_call" || role === "assistant";
}

function entriesOf({ input }: Body): readonly string[] {
  return input.filter(({ role }) => role === "developer").map(({ content }) => JSON.stringify(content));
}

function refusalOf({ input }: Body, given: ReadonlySet<string>): string | null {
  for (const [at, item] of input.entries()) {
    if (item.type !== "reasoning") continue;
    if (!given.has(JSON.stringify(item))) return "The encrypted content could not be verified.";
    if (!isReply(input[at + 1])) return "Item of type 'reasoning' was provided without its required following item.";
  }
  return null;
}

function answer(response: ServerResponse, { input }: Body, given: Set<string>): void {
  const asked = input.findLastIndex(({ role, content }) => role === "user" && JSON.stringify(content).includes("["));
  const made = input.slice(asked).filter(isReply).length;
  const wantsCalls = JSON.stringify(input[asked] ?? "").includes("three tools") && made < 3;
  const fact = newFact();
  const reasoning = {
    id: `rs_${fact}`,
    type: "reasoning",
    summary: [],
    encrypted_content: `sealed ${fact}`,
    status: "completed",
  };
  given.add(JSON.stringify(reasoning));
  const send = (type: string, more: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  send("response.created", { response: { status: "in_progress" } });
  send("response.output_item.done", { item: reasoning });
  if (wantsCalls) {
    const call = { type: "function_call", call_id: fact.replace(" ", "_"), name: "core_memory_append" };
    const asJson = JSON.stringify({ name: "human", content: fact });
    send("response.output_item.done", { item: { ...call, arguments: asJson } });
  } else send("response.output_text.delta", { delta: "done" });
  const usage = { input_tokens: 10, output_tokens: 5 };
  send("response.completed", { response: { status: "completed", usage } });
  response.end();
}
