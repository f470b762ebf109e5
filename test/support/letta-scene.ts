// A server with Letta's API on an empty database, and a model that does what the user writes.
import type { Host } from "../../src/runtime/host.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { askedModel, careful, otherModel } from "./asked-model.ts";
import { openLettaServer } from "./letta-server.ts";

/** The fields of Letta's messages that tests read. */
export interface WireMessage {
  readonly id: string;
  readonly message_type: string;
  readonly otid: string | null;
  readonly run_id: string | null;
  readonly step_id: string | null;
  readonly seq_id: number | null;
  readonly content?: string;
  readonly tool_call?: WireCall;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_return?: string;
  readonly tool_returns?: readonly { readonly tool_return: string; readonly tool_call_id: string }[];
  readonly status?: string;
  readonly stop_reason?: string;
  readonly approvals?: readonly unknown[];
}

export interface WireCall {
  readonly name?: string | null;
  readonly arguments?: string | null;
  readonly tool_call_id: string;
}

export interface WireAnswer {
  readonly messages: readonly WireMessage[];
  readonly stop_reason: { readonly stop_reason: string };
  readonly usage: { readonly step_count: number; readonly total_tokens: number };
}

export interface Asked<Body> {
  readonly status: number;
  readonly body: Body;
}

export interface LettaScene {
  readonly host: Host;
  readonly runtime: UserRuntime;
  /** Creates an agent, and returns its UUID. */
  newAgent(): Promise<string>;
  /** Sends a request, and returns the status with the JSON of the answer. */
  ask<Body = WireAnswer>(method: string, path: string, body?: unknown): Promise<Asked<Body>>;
  /** Sends a message to an agent, and returns the answer. */
  say(agentId: string, content: string, more?: object): Promise<WireAnswer>;
  /** Sends a request, and returns its stream. */
  open(path: string, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** `tools`: what agents have besides the tool `add_carefully`. */
export async function openLettaScene(tools: readonly Tool[] = []): Promise<LettaScene> {
  const server = await openLettaServer({
    model: askedModel.name,
    models: [askedModel, otherModel],
    tools: { add: [careful, ...tools] },
  });
  const runtime = server.host.forUser("ada");
  const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Asked<Body>> => {
    const asked = await server.ask(method, `/v1${path}`, body);
    return { status: asked.status, body: asked.body as Body };
  };
  let agents = 0;
  return {
    host: server.host,
    runtime,
    ask,
    close: () => server.close(),
    open: (path, body) => server.open(`/v1${path}`, body),
    async newAgent() {
      agents += 1;
      const { id } = await runtime.agents.create({ name: `agent-${agents}`, persona: "", human: "" });
      return id;
    },
    async say(agentId, content, more = {}) {
      const body = { messages: [{ role: "user", content }], ...more };
      const asked = await ask<WireAnswer>("POST", `/agents/agent-${agentId}/messages`, body);
      if (asked.status !== 200) throw new Error(`${asked.status}: ${JSON.stringify(asked.body)}`);
      return asked.body;
    },
  };
}

/** One event of a stream: its JSON, or `[DONE]`. */
export interface WireEvent {
  readonly event: string | null;
  readonly data: WireMessage | "[DONE]";
}

/** Yields the events of a stream as they come. */
export async function* wireEvents(response: Response): AsyncGenerator<WireEvent, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    yield* blocks.flatMap(eventOf);
  }
}

function eventOf(block: string): readonly WireEvent[] {
  const lines = block.split("\n");
  const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
  if (data === undefined) return [];
  const event = lines.find((line) => line.startsWith("event: "))?.slice(7) ?? null;
  return [{ event, data: data === "[DONE]" ? data : (JSON.parse(data) as WireMessage) }];
}

/** Returns the messages of a stream, without `[DONE]`, which must be its end. */
export async function wireMessages(response: Response): Promise<readonly WireMessage[]> {
  const events: WireEvent[] = [];
  for await (const event of wireEvents(response)) events.push(event);
  expect(events.at(-1)?.data).toBe("[DONE]");
  return events.slice(0, -1).map(({ data }) => data as WireMessage);
}

export const kindsOf = (messages: readonly WireMessage[]): readonly string[] =>
  messages.map(({ message_type: type }) => type);

/** Without the times: a message is stored a little after it was sent. */
export const undated = (messages: readonly WireMessage[]): readonly WireMessage[] =>
  messages.map((message) => ({ ...message, date: null }));
