// A server with an agent, and the AI SDK's own chat, without a page: what `useChat` is made of, in versions 6 and 7.
import type * as six from "ai-6";
import type { HostOptions } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { chatDoor } from "../../src/surfaces/http/chat/chat-door.ts";
import { checkedFetch } from "./api-document.ts";
import type { Sdk } from "./ai-sdks.ts";
import { askedModel, careful } from "./asked-model.ts";
import { serveTestHost } from "./served-host.ts";
import { until } from "./until.ts";

export type Chat = six.AbstractChat<six.UIMessage>;
export type ChatOptions = Omit<six.ChatInit<six.UIMessage>, "transport"> & {
  /** Sent with each request. */
  readonly body?: object;
  readonly fetch?: typeof fetch;
};

export interface ChatScene {
  readonly host: Host;
  readonly runtime: UserRuntime;
  readonly url: string;
  readonly key: string;
  newAgent(options?: object): Promise<string>;
  /** Opens a chat as a page does. */
  open(sdk: Sdk, agent: string, options?: ChatOptions): Chat;
  /** Sends a request with the key, and returns the response. */
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  close(): Promise<void>;
}

export async function openChatScene(options: Partial<HostOptions> = {}): Promise<ChatScene> {
  const served = await serveTestHost({
    model: askedModel.name,
    models: [askedModel],
    tools: { add: [careful] },
    ...options,
  });
  const { host, url, key } = served;
  const runtime = host.forUser("ada");
  const checked = checkedFetch(chatDoor);
  const headers = { authorization: `Bearer ${key}` };
  let agents = 0;
  return {
    host,
    runtime,
    key,
    url,
    async newAgent(more = {}) {
      agents += 1;
      const { name } = await runtime.agents.create({ name: `bo-${agents}`, persona: "I am Bo.", human: "", ...more });
      return name;
    },
    open(sdk, agent, { body = {}, fetch: fetched = checked, ...init } = {}) {
      const api = `${url}/api/chat/${agent}`;
      const transport = new sdk.DefaultChatTransport({ api, headers, body, fetch: fetched });
      return openChat(sdk, { ...init, transport });
    },
    ask(method, path, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return checked(`${url}/api/chat/${path}`, { method, headers, ...sent });
    },
    async close() {
      await served.close();
      expect(served.failures).toEqual([]);
    },
  };
}

function openChat(sdk: Sdk, { messages = [], ...init }: six.ChatInit<six.UIMessage>): Chat {
  const state: six.ChatState<six.UIMessage> = {
    status: "ready",
    error: undefined,
    messages: [...messages],
    pushMessage: (message) => {
      state.messages = [...state.messages, message];
    },
    popMessage: () => {
      state.messages = state.messages.slice(0, -1);
    },
    replaceMessage: (index, message) => {
      state.messages = state.messages.with(index, structuredClone(message));
    },
    snapshot: (thing) => structuredClone(thing),
  };
  class PageChat extends sdk.AbstractChat<six.UIMessage> {}
  return new PageChat({ ...init, state });
}

/** Resolves when the chat has nothing under way. */
export const settled = (chat: Chat): Promise<void> =>
  until(() => chat.status !== "submitted" && chat.status !== "streaming");

/** Returns the parts of the last message, without what does not belong to its content. */
export const lastParts = (chat: Chat): readonly Readonly<Record<string, unknown>>[] =>
  (chat.lastMessage?.parts ?? []).map((part) => JSON.parse(JSON.stringify(part)) as Record<string, unknown>);

export const textOf = (message: six.UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
