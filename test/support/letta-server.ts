// A server with Letta's API on an empty database, and Letta's official client for it.
import Letta from "@letta-ai/letta-client";
import { createHost, type HostOptions } from "../../src/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { lettaDoor } from "../../src/server/letta/letta-door.ts";
import { serve } from "../../src/server/serve.ts";
import { checkedFetch } from "./api-document.ts";
import { createTestDatabase } from "./database.ts";
import type { Model } from "../../src/llm/model.ts";
import { noUsage } from "../../src/message/message.ts";

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
  const database = await createTestDatabase();
  const { connection } = database;
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  const host = await createHost({
    ...place,
    model: model.name,
    models: [model],
    embedder: null,
    timeZone: "UTC",
    ...options,
  });
  const { secret: key } = await host.keys.create("ada");
  const failures: unknown[] = [];
  const checked = checkedFetch(lettaDoor);
  const served = await serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    maxRequestsPerMinute: 100_000,
    onFailure: (_id, error) => failures.push(error),
  });
  const client = new Letta({ baseURL: served.url, apiKey: key, maxRetries: 0, fetch: checked });
  return {
    host,
    client,
    url: served.url,
    key,
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await checked(`${served.url}${path}`, { method, headers, ...sent });
      return { status: response.status, body: await response.json() };
    },
    open(path, body) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      return checked(`${served.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    },
    async close() {
      await served.close();
      await database.remove();
      expect(failures).toEqual([]);
    },
  };
}
