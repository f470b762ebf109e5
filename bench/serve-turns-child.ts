// A process of the benchmark of served turns: a server of this package, or a bare loop over the same tables.
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { serve as serveHono } from "@hono/node-server";
import { Hono } from "hono";
import OpenAI from "openai";
import postgres from "postgres";
import type * as Palimpsest from "../src/exports/index.ts";
import type * as Serving from "../src/surfaces/http/serve.ts";
import { type FloorThread, newThread, setUp, type Statement, turnOf } from "./floor-statements.ts";

export interface TurnServerTask {
  readonly kind: "palimpsest" | "bare";
  /** The folder of an earlier build; null: this one. */
  readonly root: string | null;
  readonly databaseUrl: string | null;
  readonly folder: string;
  readonly modelUrl: string;
  /** Number of clients, each with an agent of its own; four of them are one user. */
  readonly clients: number;
}

export interface TurnServer {
  readonly url: string;
  readonly pid: number;
  readonly places: readonly { readonly key: string; readonly agent: string }[];
}

const usersShare = 4;

// The parent has ended.
process.once("disconnect", () => process.exit());
process.once("message", (task: TurnServerTask) => {
  const start = task.kind === "bare" ? startBare : startPalimpsest;
  void start(task).then((ready) => process.send!(ready));
});

async function startPalimpsest({ root, databaseUrl, folder, modelUrl, clients }: TurnServerTask): Promise<TurnServer> {
  const base = root === null ? new URL("../", import.meta.url) : pathToFileURL(`${root}/`);
  const { createHost } = (await import(new URL("src/exports/index.js", base).href)) as typeof Palimpsest;
  const { serve } = (await import(new URL("src/surfaces/http/serve.js", base).href)) as typeof Serving;
  const place = databaseUrl === null ? { dataDir: `${folder}/${randomUUID()}` } : { databaseUrl };
  const options = { model: "openai/instant", baseUrl: modelUrl, openaiApiKey: "none", timeZone: "UTC" };
  const host = await createHost({ ...place, ...options, embedder: null });
  const places: TurnServer["places"][number][] = [];
  let key = "";
  let userId = "";
  for (let number = 0; number < clients; number += 1) {
    if (number % usersShare === 0) {
      userId = `served-${randomUUID()}`;
      key = (await host.keys.create(userId, { scope: "admin" })).secret;
    }
    const { id } = await host.forUser(userId).agents.create({ name: `agent-${number}`, persona: "", human: "" });
    places.push({ key, agent: id });
  }
  const served = await serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    share: { requestsPerMinute: 1_000_000 },
    onFailure: (_id, error) => void process.stderr.write(`${String(error)}\n`),
  });
  return { url: served.url, pid: process.pid, places };
}

interface BareChat {
  readonly thread: FloorThread;
  readonly messages: { role: "user" | "assistant"; content: string }[];
}

/** A loop as one would write it by hand: the key and the input in one transaction, the reply in another, all pipelined. */
async function startBare({ databaseUrl, modelUrl, clients }: TurnServerTask): Promise<TurnServer> {
  const sql = postgres(databaseUrl!, { max: 10, onnotice: () => undefined, fetch_types: false });
  const openai = new OpenAI({ baseURL: modelUrl, apiKey: "none" });
  const chats = new Map<string, BareChat>();
  const transaction = (user: string, statements: readonly Statement[]): Promise<unknown> =>
    sql.begin((tx) => {
      const setting =
        "select set_config('role', 'palimpsest_runtime', true), set_config('palimpsest.user_id', $1, true)";
      const all: readonly Statement[] = [[setting, [user]], ...statements];
      return all.map(([text, parameters]) => tx.unsafe(text, [...parameters], { prepare: true }));
    });
  const app = new Hono();
  app.post("/new", async (context) => {
    const { agent } = (await context.req.json()) as { agent: string };
    const thread = { ...newThread(), user: `bare-${agent}` };
    for (const [text, parameters] of setUp(thread)) await sql.unsafe(text, [...parameters]);
    chats.set(agent, { thread, messages: [] });
    return context.json({});
  });
  app.post("/turn", async (context) => {
    const { agent, text } = (await context.req.json()) as { agent: string; text: string };
    const { thread, messages } = chats.get(agent)!;
    const [begin, reply] = turnOf(thread, "text") as readonly [readonly Statement[], readonly Statement[]];
    const key: Statement = ["select id from keys where hash = $1 and revoked_at is null", [agent]];
    await transaction(thread.user, [key, ...begin]);
    messages.push({ role: "user", content: text });
    const stream = await openai.chat.completions.create({ model: "instant", messages, stream: true });
    let answer = "";
    for await (const { choices } of stream) answer += choices[0]?.delta.content ?? "";
    await transaction(thread.user, reply);
    messages.push({ role: "assistant", content: answer });
    return context.json({ answer });
  });
  const url = await new Promise<string>((resolve) => {
    serveHono({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (info) =>
      resolve(`http://127.0.0.1:${(info as AddressInfo).port}`),
    );
  });
  return {
    url,
    pid: process.pid,
    places: Array.from({ length: clients }, () => ({ key: "none", agent: randomUUID() })),
  };
}
