// A server with Letta's API on an empty database, and Letta's official client for it.
import Letta from "@letta-ai/letta-client";
import type { HostOptions } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { checkedFetch } from "./api-document.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { serveTestHost } from "./served-host.ts";

/** Repeats the system prompt. */
const model: Model = {
  name: "openai/gpt-4o-mini",
  contextWindow: 100_000,
  async *stream({ system }) {
    yield { type: "text-delta", text: JSON.stringify(system) };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

export interface LettaServer {
  readonly host: Host;
  /** Of the user `ada`. */
  readonly client: Letta;
  readonly url: string;
  readonly key: string;
  /** Sends a request as `ada`, and returns the status with the JSON of the answer. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Sends a request, and returns its stream. */
  open(path: string, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export async function openLettaServer(options: Partial<HostOptions> = {}): Promise<LettaServer> {
  const served = await serveTestHost({ model: model.name, models: [model], ...options });
  const { host, url, key } = served;
  const checked = checkedFetch(lettaDoor);
  const client = new Letta({ baseURL: url, apiKey: key, maxRetries: 0, fetch: checked });
  return {
    host,
    client,
    url,
    key,
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await checked(`${url}${path}`, { method, headers, ...sent });
      return { status: response.status, body: await response.json() };
    },
    open(path, body) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      return checked(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    },
    async close() {
      await served.close();
      expect(served.failures).toEqual([]);
    },
  };
}
