// Readers of one turn, each through an interface of the server: what they have read, and how they come back after the server's
// process has ended.
// Invariant: a reader that comes back knows only what it got before.
import { randomUUID } from "node:crypto";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai-6";
import type { AgentEvent } from "../../src/agent/events.ts";
import { createClient } from "../../src/surfaces/client/create-client.ts";
import { replayRun } from "../../src/surfaces/stream/ai-sdk/replay-run.ts";
import type { RunningServer } from "./server-process.ts";

export interface Place {
  readonly server: RunningServer;
  readonly agent: string;
  readonly agentId: string;
  readonly text: string;
}

export interface Reader {
  /** Sends the message or comes back, and reads. Resolves to whether the stream came to its end. */
  read(): Promise<boolean>;
  /** The text of the answer, as the reader shows it. */
  shown(): string;
  /** What a reader that comes after the end reads, if the interface has that. */
  later?(): Promise<string>;
}

export const surfaces: Readonly<Record<string, (place: Place) => Promise<Reader>>> = {
  chat: async (place) => chatReader(place),
  pieces: async (place) => runReader(place, { stream_tokens: true }),
  whole: async (place) => runReader(place, { stream_tokens: false }),
  api: apiReader,
  openai: (place) => openAiReader(place, false),
  "openai streamed": (place) => openAiReader(place, true),
};

/** A page: it is opened again, and then knows nothing. */
function chatReader({ server, agent, text }: Place): Reader {
  const path = `/api/chat/${agent}`;
  const parts = [{ type: "text", text }];
  const body = { id: "page", messages: [{ id: randomUUID(), role: "user", parts }], trigger: "submit-message" };
  let message: UIMessage | undefined;
  const load = async () =>
    (await (await server.send(`${path}/page/messages`, undefined, "GET")).json()) as readonly UIMessage[];
  return {
    async read() {
      const loaded = await load();
      const response =
        loaded.length === 0
          ? await server.send(path, body)
          : await server.send(`${path}/page/stream`, undefined, "GET");
      if (response.status === 204) {
        message = loaded.find(({ role }) => role === "assistant");
        return message !== undefined;
      }
      let isComplete = false;
      const chunks = new ReadableStream<UIMessageChunk>({
        async start(controller) {
          for await (const data of dataOf(response)) {
            if (data === "[DONE]") continue;
            const chunk = JSON.parse(data) as UIMessageChunk;
            isComplete ||= chunk.type === "finish";
            controller.enqueue(chunk);
          }
          controller.close();
        },
      });
      for await (const next of readUIMessageStream({ stream: chunks, terminateOnError: true })) message = next;
      return isComplete;
    },
    shown: () => textOf(message),
    later: async () => textOf((await load()).at(-1)),
  };
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

interface Wire {
  readonly message_type?: string;
  readonly run_id?: string;
  readonly seq_id?: number;
  readonly content?: string;
  readonly stop_reason?: string;
}

/** A client of `/v1`. With pieces it reads a run from its beginning again, with whole messages it goes on after its last one. */
function runReader({ server, agentId, text }: Place, kind: { readonly stream_tokens: boolean }): Reader {
  const messages = [{ role: "user", content: text, otid: randomUUID() }];
  let seen: Wire[] = [];
  let runId: string | null = null;
  const follow = async (startingAfter: number): Promise<readonly Wire[]> => {
    const path = runId === null ? `/v1/agents/agent-${agentId}/messages` : `/v1/runs/${runId}/stream`;
    const sent = { messages, streaming: true, background: true, ...kind };
    const response = await server.send(path, runId === null ? sent : { starting_after: startingAfter });
    const got: Wire[] = [];
    for await (const data of dataOf(response)) {
      if (data === "[DONE]") break;
      const wire = JSON.parse(data) as Wire;
      runId ??= wire.run_id ?? null;
      got.push(wire);
      if (startingAfter > 0 || !kind.stream_tokens) seen.push(wire);
    }
    return got;
  };
  const isOver = (got: readonly Wire[]): boolean => got.some(({ stop_reason: reason }) => reason === "end_turn");
  const said = (got: readonly Wire[]): string =>
    got.map(({ message_type: type, content }) => (type === "assistant_message" ? content : "")).join("");
  return {
    async read() {
      if (kind.stream_tokens) {
        seen = [];
        seen = [...(await follow(0))];
        return isOver(seen);
      }
      const last = seen.findLast(({ seq_id: number }) => typeof number === "number")?.seq_id ?? 0;
      return isOver(await follow(last));
    },
    shown: () => said(seen),
    later: async () => said(await follow(0)),
  };
}

/** A program with `palimpsest/client`, which comes back by itself. */
async function apiReader({ server, agent, text }: Place): Promise<Reader> {
  const place = { agent, conversation: await newConversation(server, agent) };
  const client = createClient({
    url: "http://server",
    key: "",
    fetch: (target, init = {}) => {
      const { pathname, search } = new URL(target instanceof Request ? target.url : target);
      return server.fetch(`${pathname}${search}`, init);
    },
  });
  const turn = { messages: [{ text, idempotencyKey: randomUUID() }] };
  let seen: AgentEvent[] = [];
  const said = (events: readonly AgentEvent[]): string =>
    replayRun(events)
      .map((event) => (event.type === "text-delta" ? event.text : ""))
      .join("");
  return {
    async read() {
      seen = [];
      for await (const event of client.send(place, turn)) seen.push(event);
      if (seen.some(({ sequence }, at) => sequence !== at + 1)) throw new Error("an event is missing or came twice");
      return true;
    },
    shown: () => said(seen),
    async later() {
      const params = { ...place, turn: seen[0]?.turnId ?? "" };
      const name = "GET /agents/:agent/conversations/:conversation/turns/:turn/events";
      const events: AgentEvent[] = [];
      for await (const event of client.events(name, { params })) events.push(event);
      return said(events);
    },
  };
}

/** A program that speaks OpenAI's API: it repeats its request with the same key. */
async function openAiReader({ server, agent, text }: Place, stream: boolean): Promise<Reader> {
  const headers = {
    "content-type": "application/json",
    "x-conversation-id": await newConversation(server, agent),
    "idempotency-key": randomUUID(),
  };
  const body = JSON.stringify({ model: agent, messages: [{ role: "user", content: text }], stream });
  let shown = "";
  const ask = async (): Promise<boolean> => {
    shown = "";
    const response = await server.fetch("/openai/v1/chat/completions", { method: "POST", headers, body });
    if (!response.ok) return false;
    if (!stream) {
      shown = ((await response.json()) as Completion).choices[0]?.message?.content ?? "";
      return true;
    }
    for await (const data of dataOf(response)) {
      if (data === "[DONE]") return true;
      shown += (JSON.parse(data) as Completion).choices?.[0]?.delta?.content ?? "";
    }
    return false;
  };
  // The texts of the two steps are on lines of their own.
  const joined = (): string => shown.replace("\n", "");
  return { read: ask, shown: joined, later: async () => ((await ask()) ? joined() : "an answer that does not end") };
}

interface Completion {
  readonly choices: readonly {
    readonly message?: { readonly content: string };
    readonly delta?: { readonly content?: string };
  }[];
}

async function newConversation(server: RunningServer, agent: string): Promise<string> {
  const response = await server.send(`/api/agents/${agent}/conversations`, {});
  return ((await response.json()) as { readonly id: string }).id;
}

/** Yields the data of server-sent events. */
async function* dataOf(response: Response): AsyncGenerator<string, void> {
  if (!response.ok) throw new Error(await response.text());
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield data.slice("data: ".length);
    }
  }
}
