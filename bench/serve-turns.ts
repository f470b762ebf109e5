// Measures served text turns with a model that answers at once: `/openai/v1`, `/v1` and `/api` beside a bare loop of hono,
// postgres and openai, which writes the same rows in two transactions and keeps the conversations in memory.
// Invariant: all variants run alternately in one run against one database server and one model; a turn without its answer
// fails the run. With BENCH_BEFORE, the `dist` of an earlier commit, its server is measured in the same run, with a database of
// its own.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { quantile, type Row } from "./measure.ts";
import { createOwnDatabase, type OwnDatabase } from "./own-database.ts";
import { cpuOfProcess, readServerUsage } from "./server-usage.ts";
import type { TurnServer, TurnServerTask } from "./serve-turns-child.ts";

const answer = "Clear, with a light breeze from the west.";
const question = "How is the weather at the harbour today?";
const crowds = [16, 64] as const;
const surfaces = ["openai", "v1", "api"] as const;
type Surface = (typeof surfaces)[number] | "bare";

export interface ServedTurnsOptions {
  readonly seconds: number;
  readonly rounds: number;
}

interface Variant {
  readonly name: string;
  readonly surface: Surface;
  readonly pid: number;
  /** A function for each client that runs a turn in its conversation, and returns the text with its answer. */
  readonly senders: readonly (() => Promise<string>)[];
}

interface Tally {
  turns: number;
  seconds: number;
  /** Milliseconds of CPU time of the server's process, and of the database. */
  cpuMs: number;
  databaseMs: number;
  readonly times: number[];
}

export async function benchServedTurns({ seconds, rounds }: ServedTurnsOptions, folder: string) {
  const databaseUrl = process.env["BENCH_DATABASE_URL"] ?? null;
  const before = process.env["BENCH_BEFORE"] ?? null;
  const model = await startModel();
  const task = { databaseUrl, folder, modelUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1` };
  const children: ChildProcess[] = [];
  const own = await databaseOf(before, databaseUrl);
  const start = async (kind: TurnServerTask["kind"], root: string | null): Promise<TurnServer> => {
    const place = root === null ? databaseUrl : (own?.url ?? null);
    const child = spawn(process.execPath, [fileURLToPath(new URL("serve-turns-child.js", import.meta.url))], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    children.push(child);
    child.send({ ...task, databaseUrl: place, kind, root, clients: Math.max(...crowds) } satisfies TurnServerTask);
    return new Promise((resolve, reject) => {
      child.once("message", (ready: TurnServer) => resolve(ready));
      child.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
    });
  };
  try {
    const ours = await start("palimpsest", null);
    const earlier = before === null ? null : await start("palimpsest", before);
    // The embedded engine has one owner, so the bare loop needs a server.
    const bare = databaseUrl === null ? null : await start("bare", null);
    const variantOf = async (server: TurnServer, surface: Surface, name: string): Promise<Variant> => {
      const asked = { ...server, isEarlier: server === earlier };
      const senders = await Promise.all(server.places.map((place) => senderOf(asked, surface, place)));
      // The first turns of a conversation write its first events and its snapshot.
      for (const send of senders) for (let turn = 0; turn < 3; turn += 1) await send();
      return { name, surface, pid: server.pid, senders };
    };
    const variants: Variant[] = bare === null ? [] : [await variantOf(bare, "bare", "bare loop")];
    for (const surface of surfaces) {
      variants.push(await variantOf(ours, surface, `/${surface}`));
      if (earlier !== null) variants.push(await variantOf(earlier, surface, `/${surface} before`));
    }
    const rows: Row[] = [];
    for (const clients of crowds) rows.push(...(await measureCrowd(variants, { clients, seconds, rounds })));
    return rows;
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    model.close();
    await own?.drop();
  }
}

/** Returns a database for the server of an earlier commit, whose schema may differ; null without a commit or a server. */
async function databaseOf(before: string | null, databaseUrl: string | null): Promise<OwnDatabase | null> {
  return before === null || databaseUrl === null ? null : createOwnDatabase(databaseUrl);
}

interface Crowd extends ServedTurnsOptions {
  readonly clients: number;
}

async function measureCrowd(variants: readonly Variant[], crowd: Crowd): Promise<readonly Row[]> {
  const tallies = new Map<Variant, Tally>();
  for (const variant of variants) await runCrowd(variant, { ...crowd, seconds: 1 });
  for (let round = 0; round < crowd.rounds; round += 1) {
    for (const variant of variants) {
      const run = await runCrowd(variant, crowd);
      const sum = tallies.get(variant) ?? { turns: 0, seconds: 0, cpuMs: 0, databaseMs: 0, times: [] };
      sum.cpuMs += run.cpuMs;
      sum.databaseMs += run.databaseMs;
      sum.turns += run.turns;
      sum.seconds += run.seconds;
      for (const time of run.times) sum.times.push(time);
      tallies.set(variant, sum);
    }
  }
  const rateOf = ({ turns, seconds }: Tally): number => turns / seconds;
  const floor = [...tallies].find(([{ surface }]) => surface === "bare")?.[1];
  return [...tallies].map(([{ name, surface }, tally]) => {
    const { times, turns } = tally;
    const rate = rateOf(tally);
    const before = [...tallies].find(([other]) => other.name === `${name} before`)?.[1];
    const notes = [
      `${rate.toFixed(0)} turns/s`,
      ...(floor === undefined || surface === "bare" ? [] : [`${(rate / rateOf(floor)).toFixed(2)} of the bare loop's`]),
      `CPU ${(tally.cpuMs / turns).toFixed(1)} ms and in the database ${(tally.databaseMs / turns).toFixed(1)}`,
      ...(before === undefined ? [] : [`${(rate / rateOf(before)).toFixed(1)} × before`]),
    ];
    const ratio = floor === undefined ? {} : { ratio: quantile(times, 0.95) / quantile(floor.times, 0.95) };
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
    return { name: `${name}, ${crowd.clients} clients`, p50, p95, samples: turns, ...ratio, note: notes.join(", ") };
  });
}

async function runCrowd({ senders: all, pid }: Variant, { clients, seconds }: Crowd): Promise<Tally> {
  const senders = all.slice(0, clients);
  const times: number[] = [];
  const before = await usageOf(pid);
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    senders.map(async (send) => {
      while (performance.now() < until) {
        const from = performance.now();
        if (!(await send()).includes("light breeze")) throw new Error("A turn has no answer.");
        times.push(performance.now() - from);
      }
    }),
  );
  const spent = (performance.now() - began) / 1000;
  const after = await usageOf(pid);
  const used = { cpuMs: after.cpuMs - before.cpuMs, databaseMs: after.databaseMs - before.databaseMs };
  return { turns: times.length, seconds: spent, ...used, times };
}

async function usageOf(pid: number): Promise<Pick<Tally, "cpuMs" | "databaseMs">> {
  const url = process.env["BENCH_DATABASE_URL"];
  const databaseMs = url === undefined ? 0 : ((await readServerUsage(url)).cpuMs ?? 0);
  return { cpuMs: cpuOfProcess(pid), databaseMs };
}

/** Returns a function that runs a turn in a new conversation of the client. */
async function senderOf(
  { url, isEarlier }: TurnServer & { readonly isEarlier: boolean },
  surface: Surface,
  { key, agent }: TurnServer["places"][number],
) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async (path: string, body: object | null): Promise<string> => {
    const sent = body === null ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, sent);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  };
  const messages = [{ role: "user", content: question }];
  const created = async () => JSON.parse(await call(`/api/agents/${agent}/conversations`, {})) as { id: string };
  switch (surface) {
    case "bare":
      await call("/new", { agent });
      return () => call("/turn", { agent, text: question });
    case "openai": {
      const { id } = await created();
      const body = { model: agent, messages, metadata: { conversation_id: id } };
      return () => call("/openai/v1/chat/completions", body);
    }
    case "v1": {
      const { id } = await created();
      return () => call(`/v1/conversations/conv-${id}/messages`, { messages, streaming: false });
    }
    case "api": {
      const { id } = await created();
      const path = `/api/agents/${agent}/conversations/${id}/turns`;
      const body = { messages: [{ text: question }] };
      if (!isEarlier) return () => call(`${path}/events`, body);
      // An earlier build may not have this route.
      return async () => {
        const { turnId } = JSON.parse(await call(path, body)) as { turnId: string };
        return call(`${path}/${turnId}/events`, null);
      };
    }
  }
}

/** Starts a model with OpenAI's API that answers at once. */
async function startModel(): Promise<Server> {
  const head = { id: "1", object: "chat.completion.chunk", created: 1, model: "instant" };
  const choices = [{ index: 0, delta: { role: "assistant", content: answer }, finish_reason: null }];
  const usage = { prompt_tokens: 2400, completion_tokens: 12, total_tokens: 2412 };
  const chunks = [
    { ...head, choices },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...head, choices: [], usage },
  ];
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
