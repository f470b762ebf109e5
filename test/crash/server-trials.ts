// Trials of clients of the server: its process is killed while a turn streams, and the client comes back behind the last number
// that it got, to the next process. It must see every message once and in order, and the turn must end as if nothing had happened.
import { randomUUID } from "node:crypto";
import { createServer, type RunningServer } from "./server-process.ts";
import type { Findings, Place } from "./start-child.ts";
import { lastText, turnMs } from "./streaming-agent.ts";

export async function runServerTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const server = createServer(place);
  try {
    for (let number = 0; number < trials; number += 1) {
      const kind = kinds[number % kinds.length] as Kind;
      const found = await runOnce(server, kind).catch((error: unknown) => ({
        place: "failed",
        violations: [String(error)],
      }));
      violations.push(...found.violations.map((violation) => `server, trial ${number} (${kind}): ${violation}`));
      histogram.set(`server: ${found.place}`, (histogram.get(`server: ${found.place}`) ?? 0) + 1);
    }
  } finally {
    await server.stop();
  }
  return { histogram, violations };
}

/** `stream`: the client reads from the beginning; `unread`: it comes later; `approval`: the turn waits in the middle. */
const kinds = ["stream", "unread", "approval"] as const;
type Kind = (typeof kinds)[number];

interface Seen {
  readonly id: string;
  readonly seq_id: number | null;
  readonly message_type: string;
  readonly run_id: string | null;
  readonly content?: string;
  readonly stop_reason?: string;
  readonly tool_call?: { readonly tool_call_id: string };
}

/** What a client keeps of a run. */
interface Client {
  readonly seen: Seen[];
  runId: string | null;
  /** How the last stream that was complete ended; null while none was. */
  end: string | null;
  kills: number;
  /** The bodies of answers that were errors. */
  readonly refusals: string[];
}

const flags = { streaming: true, stream_tokens: true, background: true };

async function runOnce(
  server: RunningServer,
  kind: Kind,
): Promise<{ readonly place: string; readonly violations: readonly string[] }> {
  const agent = await newAgent(server, kind);
  const client: Client = { seen: [], runId: null, end: null, kills: 0, refusals: [] };
  const messages = [{ role: "user", content: "Count slowly.", otid: randomUUID() }];
  const path = `/v1/agents/agent-${agent}/messages`;
  const timers: NodeJS.Timeout[] = [];
  const killLater = (): void => {
    const kill = (): void => {
      client.kills += 1;
      server.kill();
    };
    timers.push(setTimeout(kill, Math.random() * turnMs));
  };
  killLater();
  if (kind === "unread") await start(server, client, `${path}/async`, messages);
  else await read(server, client, path, { messages, ...flags });
  for (let attempt = 0; client.end !== "end_turn" && attempt < 20; attempt += 1) {
    if (client.runId === null) await read(server, client, path, { messages, ...flags });
    else if (client.end === "requires_approval") {
      if (timers.length === 1) killLater();
      await read(server, client, path, { messages: [approvalOf(client)], ...flags });
    } else await follow(server, client);
  }
  for (const timer of timers) clearTimeout(timer);
  return {
    place: `${kind}: ${client.kills} kills, ended as ${client.end}`,
    violations: await check(server, client, agent),
  };
}

async function newAgent(server: RunningServer, kind: Kind): Promise<string> {
  const settings = kind === "approval" ? { approvals: ["increment"] } : {};
  const response = await server.send("/api/agents", {
    name: `agent-${randomUUID()}`,
    persona: "",
    human: "",
    settings,
  });
  return ((await response.json()) as { readonly id: string }).id;
}

async function start(server: RunningServer, client: Client, path: string, messages: unknown): Promise<void> {
  while (client.runId === null) {
    try {
      const response = await server.send(path, { messages, stream_tokens: true });
      client.runId = ((await response.json()) as { readonly id: string }).id;
    } catch {
      // The process was killed: the request is repeated, and joins the run if the message was stored.
    }
  }
}

function approvalOf({ seen }: Client): object {
  const asked = seen.find(({ message_type: type }) => type === "approval_request_message");
  return {
    type: "approval",
    approvals: [{ type: "approval", tool_call_id: asked?.tool_call?.tool_call_id, approve: true }],
  };
}

function follow(server: RunningServer, client: Client): Promise<void> {
  const last = client.seen.at(-1)?.seq_id ?? 0;
  return read(server, client, `/v1/runs/${client.runId}/stream`, { starting_after: last });
}

/** Reads a stream until it ends, or its process is killed. */
async function read(server: RunningServer, client: Client, path: string, body: unknown): Promise<void> {
  client.end = null;
  try {
    const response = await server.send(path, body);
    if (!response.ok) client.refusals.push(await response.text());
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      blocks.forEach((block) => take(client, block));
    }
  } catch {
    // The connection broke: the client comes back.
  }
}

function take(client: Client, block: string): void {
  const data = block
    .split("\n")
    .find((line) => line.startsWith("data: "))
    ?.slice(6);
  if (data === undefined || data === "[DONE]") return;
  const message = JSON.parse(data) as Seen;
  client.runId ??= message.run_id ?? null;
  if (typeof message.seq_id === "number") client.seen.push(message);
  if (message.stop_reason !== undefined) client.end = message.stop_reason;
}

async function check(
  server: RunningServer,
  { seen, runId, end, refusals }: Client,
  agent: string,
): Promise<readonly string[]> {
  const whole: Client = { seen: [], runId: null, end: null, kills: 0, refusals: [] };
  await read(server, whole, `/v1/runs/${runId}/stream`, { starting_after: 0 });
  const stored = await json<readonly Seen[]>(server, `/v1/agents/agent-${agent}/messages`);
  const modules = await json<readonly Module[]>(server, `/api/agents/${agent}/modules`);
  const value = modules.find(({ label }) => label === "human")?.value;
  const of = (type: string): readonly Seen[] => stored.filter(({ message_type: each }) => each === type);
  const answered = stored.filter(
    ({ message_type: type }) => !/^(?:system|user|approval_response)_message$/u.test(type),
  );
  const brief = (list: readonly Seen[]): string =>
    JSON.stringify(list.map((one) => [one.seq_id, one.message_type, one.content]));
  const numbers = seen.map(({ seq_id: number }) => number ?? 0);
  const counted = seen.filter(({ seq_id: number }) => whole.seen.some((one) => one.seq_id === number));
  const found: readonly (readonly [string, boolean])[] = [
    [`the turn has not ended: ${refusals.join(" ")}`, end === "end_turn"],
    ["a number came twice or out of order", numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))],
    // Pieces of a reply that was not stored: who reads the run later does not get them.
    ["the client saw something else than a client that reads all", brief(counted) === brief(whole.seen)],
    ["the message is there twice", of("user_message").length === 1],
    ["a stored message was not seen", answered.every(({ id }) => seen.some((one) => one.id === id))],
    ["the last reply is incomplete", of("assistant_message").at(-1)?.content === lastText],
    [`memory was edited ${value} times`, value === "1"],
  ];
  return found.flatMap(([violation, isRight]) => (isRight ? [] : [violation]));
}

interface Module {
  readonly label: string;
  readonly value: string;
}

async function json<Answer>(server: RunningServer, path: string): Promise<Answer> {
  return (await (await server.send(path, undefined, "GET")).json()) as Answer;
}
