// Trials of readers of the server: its process is killed, or ended by SIGTERM, while a turn says a text, calls a tool and may say
// another text; the readers of each interface come back to the next process. Each must read every stored text once, and the turn
// must end as if nothing had happened.
import { randomUUID } from "node:crypto";
import { type Reader, surfaces } from "./reader-surfaces.ts";
import { createServer, type RunningServer } from "./server-process.ts";
import type { Findings, Place } from "./start-child.ts";
import { repliesTo, turnMs } from "./streaming-agent.ts";

const ends = ["kill", "end"] as const;
/**
 * What the model calls: a tool whose call is stored before it runs, or one whose call is stored with its result, which ends the
 * turn.
 */
const texts = ["Count slowly.", "Count slowly, by yourself."] as const;

/** Attempts of a reader before it counts as one that never gets an answer. */
const maxAttempts = 20;

export async function runReaderTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const server = createServer(place);
  const names = Object.keys(surfaces);
  try {
    for (let number = 0; number < trials; number += 1) {
      const surface = names[number % names.length] as string;
      const way = Math.floor(number / names.length);
      const trial = { surface, end: ends[way % 2] ?? "kill", text: texts[Math.floor(way / 2) % 2] ?? "" };
      const name = `readers, trial ${number} (${Object.values(trial).join(", ")})`;
      const found = await runOnce(server, trial).catch((error: unknown) => ({
        hit: "failed",
        faults: [String(error)],
      }));
      violations.push(...found.faults.map((fault) => `${name}: ${fault}`));
      const key = `readers: ${surface}, ${trial.end}, ${found.hit}`;
      histogram.set(key, (histogram.get(key) ?? 0) + 1);
    }
  } finally {
    await server.stop();
  }
  return { histogram, violations };
}

interface Trial {
  readonly surface: string;
  readonly end: (typeof ends)[number];
  readonly text: string;
}

interface Outcome {
  readonly hit: string;
  readonly faults: readonly string[];
}

async function runOnce(server: RunningServer, { surface, end, text }: Trial): Promise<Outcome> {
  const agent = `agent-${randomUUID()}`;
  const created = await server.send("/api/agents", { name: agent, persona: "", human: "" });
  const { id: agentId } = (await created.json()) as { readonly id: string };
  const reader = await (surfaces[surface] as (typeof surfaces)[string])({ server, agent, agentId, text });
  let isEnded = false;
  const timer = setTimeout(() => {
    isEnded = true;
    server[end]();
  }, Math.random() * turnMs);
  const failures: string[] = [];
  let attempts = 1;
  while (!(await reads(reader, failures)) && attempts < maxAttempts) attempts += 1;
  clearTimeout(timer);
  const hit = !isEnded ? "not reached" : attempts === 1 ? "read at once" : "opened again";
  if (attempts === maxAttempts) return { hit, faults: [`no answer: ${failures.slice(-3).join("; ")}`] };
  return { hit, faults: await faultsOf({ server, agent, reader, text }) };
}

async function reads(reader: Reader, failures: string[]): Promise<boolean> {
  try {
    return await reader.read();
  } catch (error) {
    // The connection broke: the reader comes back.
    failures.push(String(error));
    return false;
  }
}

interface Ended {
  readonly server: RunningServer;
  readonly agent: string;
  readonly reader: Reader;
  readonly text: string;
}

async function faultsOf({ server, agent, reader, text: asked }: Ended): Promise<readonly string[]> {
  const json = async <Answer>(path: string): Promise<Answer> =>
    (await (await server.send(path, undefined, "GET")).json()) as Answer;
  const replies = repliesTo(asked);
  const whole = replies.join("");
  const shown = reader.shown();
  const later = (await reader.later?.()) ?? whole;
  const conversations = await json<readonly { readonly id: string }[]>(`/api/agents/${agent}/conversations`);
  const { messages } = await json<Messages>(`/api/agents/${agent}/conversations/${conversations[0]?.id}/messages`);
  const modules = await json<readonly Module[]>(`/api/agents/${agent}/modules`);
  const value = modules.find(({ label }) => label === "human")?.value;
  const stored = messages.filter(({ role }) => role !== "tool").map(({ role, text }) => `${role}: ${text}`);
  const found: readonly (readonly [string, boolean])[] = [
    [`read ${JSON.stringify(shown)}`, shown === whole],
    [`a later reader read ${JSON.stringify(later)}`, later === whole],
    [
      `stored are ${stored.join("; ")}`,
      stored.slice(1).join() === replies.map((reply) => `assistant: ${reply}`).join(),
    ],
    [`memory was edited ${value} times`, value === "1"],
  ];
  return found.flatMap(([fault, isRight]) => (isRight ? [] : [fault]));
}

interface Messages {
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

interface Module {
  readonly label: string;
  readonly value: string;
}
