// A process of the serve benchmark: a server, or the same turns without one, with a model that streams words at a steady pace.
import { setTimeout } from "node:timers/promises";
import { createHost } from "../src/runtime/compose/compose.ts";
import type { Model } from "../src/model/llm/model.ts";
import { noUsage } from "../src/base/message/message.ts";
import type { Host } from "../src/runtime/host.ts";
import { serve } from "../src/surfaces/http/serve.ts";
import { quantile } from "./measure.ts";

export interface ServeTask {
  readonly kind: "served" | "bare";
  readonly databaseUrl: string | null;
  readonly folder: string;
  readonly users: number;
  readonly agentsPerUser: number;
  /** Of the bare turns. */
  readonly seconds: number;
}

/** A client's place: a key, and an agent of its user. */
export interface ClientPlace {
  readonly key: string;
  readonly agent: string;
}

export interface ServedPlaces {
  readonly url: string;
  readonly clients: readonly ClientPlace[];
}

export interface TurnTimes {
  readonly turns: number;
  readonly deltas: number;
  readonly seconds: number;
  /** Milliseconds of a turn. */
  readonly p50: number;
  readonly p95: number;
}

/** Words of a reply, and the milliseconds between two. */
export const words = 40;
export const paceMs = 100;

const streaming: Model = {
  name: "streaming",
  contextWindow: 1_000_000,
  async *stream() {
    for (let word = 0; word < words; word += 1) {
      await setTimeout(paceMs);
      yield { type: "text-delta", text: "weather " };
    }
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

process.once("message", (task: ServeTask) => void run(task));

async function run(task: ServeTask): Promise<void> {
  const { databaseUrl, folder } = task;
  const place = databaseUrl === null ? { dataDir: folder } : { databaseUrl };
  const host = await createHost({
    ...place,
    models: [streaming],
    model: streaming.name,
    embedder: null,
    timeZone: "UTC",
  });
  if (task.kind === "served") return runServer(host, task);
  const report = await runBare(host, task);
  await host.close();
  process.send!(report, () => process.disconnect());
}

async function runServer(host: Host, { users, agentsPerUser }: ServeTask): Promise<void> {
  const clients: ClientPlace[] = [];
  for (let user = 0; user < users; user += 1) {
    const userId = `served-${user}`;
    const { secret } = await host.keys.create(userId, { scope: "admin" });
    for (let number = 0; number < agentsPerUser; number += 1) {
      const { id } = await host.forUser(userId).agents.create({ name: `agent-${number}`, persona: "", human: "" });
      clients.push({ key: secret, agent: id });
    }
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
  const places: ServedPlaces = { url: served.url, clients };
  process.send!(places);
  await new Promise((resolve) => process.once("message", resolve));
  await served.close();
  process.disconnect();
}

/** The loop without a server, a client or a key: what a turn costs in a process of one's own. */
async function runBare(host: Host, { users, agentsPerUser, seconds }: ServeTask): Promise<TurnTimes> {
  const open = [];
  for (let user = 0; user < users; user += 1) {
    const { agents } = host.forUser(`bare-${user}`);
    for (let number = 0; number < agentsPerUser; number += 1) {
      open.push(await agents.open(`agent-${number}`, { create: { persona: "", human: "" } }));
    }
  }
  return measureTurns(
    open.map((agent) => () => agent.send("How is the weather?")),
    seconds,
  );
}

interface SeenEvent {
  readonly type: string;
  readonly stopReason?: string;
}

/** Lets each sender send one message after the other until the time is over. Throws for a turn that ends otherwise than it should. */
export async function measureTurns(
  senders: readonly (() => AsyncIterable<SeenEvent>)[],
  seconds: number,
): Promise<TurnTimes> {
  const times: number[] = [];
  let deltas = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  async function sendAll(send: () => AsyncIterable<SeenEvent>): Promise<void> {
    while (performance.now() < until) {
      const from = performance.now();
      let seen = 0;
      let last: SeenEvent | undefined;
      for await (const event of send()) {
        if (event.type === "text-delta") seen += 1;
        last = event;
      }
      if (last?.type !== "turn-end" || last.stopReason !== "end-turn" || seen === 0) {
        throw new Error(
          `A stream was dropped: its last event was ${JSON.stringify(last)}, after ${seen} pieces of text.`,
        );
      }
      deltas += seen;
      times.push(performance.now() - from);
    }
  }
  await Promise.all(senders.map(sendAll));
  const spent = (performance.now() - began) / 1000;
  return { turns: times.length, deltas, seconds: spent, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}
