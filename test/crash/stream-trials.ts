// Trials of readers: a process is killed while its turn streams, and another one reads the turn's events meanwhile, then
// continues the turn. It must see every stored event once, in order, and the turn must end as if nothing had happened.
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Store } from "../../src/store/port/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Child, type Findings, type Place, placeArguments, startChild } from "./start-child.ts";
import { lastText, openStreamingAgent, turnMs } from "./streaming-agent.ts";

export async function runStreamTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  // On the embedded engine, all processes share the server that the first one starts.
  const connection = place.kind === "server" ? place : ({ ...place, host: "process" } as const);
  const store = await openStore({ connection });
  try {
    for (let number = 0; number < trials; number += 1) {
      const outcome = await runOnce(store, place, `streams-${number}`);
      violations.push(...outcome.violations.map((violation) => `streams, trial ${number}: ${violation}`));
      histogram.set(outcome.place, (histogram.get(outcome.place) ?? 0) + 1);
    }
  } finally {
    await store.close();
  }
  return { histogram, violations };
}

interface Outcome {
  readonly place: string;
  readonly violations: readonly string[];
}

async function runOnce(store: Store, place: Place, name: string): Promise<Outcome> {
  const { agent: reader, runtime } = await openStreamingAgent(store, name);
  const { turnId, ended } = await startTurn(place, name);
  const live = await drain(reader.events(turnId));
  const { killed } = await ended;

  const { agent } = await openStreamingAgent(store, name);
  const isOver = live.at(-1)?.type === "turn-end";
  const resumed = isOver ? [] : await drain(agent.resume());
  const all = await drain(agent.events(turnId));
  const from = Math.floor(Math.random() * all.length);
  const rest = await drain(agent.events(turnId, { after: from }));
  const value = agent.memory.read("human");
  await runtime.close();

  const found = [
    check(
      "the numbers have a gap or a duplicate",
      all.every(({ sequence }, at) => sequence === at + 1),
    ),
    check("the reader saw other events than were stored", isPrefix(live, all)),
    check("an event that was emitted after the kill is missing", isSuffix(resumed, all)),
    check("reading from an event differs from reading all", JSON.stringify(rest) === JSON.stringify(all.slice(from))),
    check("the turn has not ended", all.at(-1)?.type === "turn-end"),
    check("the last reply is incomplete", agent.messages.at(-1)?.text === lastText),
    check("the message is there twice", agent.messages.filter(({ role }) => role === "user").length === 1),
    check(`memory was edited ${value} times`, value === "1"),
    check("the process was not killed", killed || isOver),
  ];
  const step = live.findLast((event) => event.type === "step-start")?.step ?? 0;
  return {
    place: isOver ? "streams: ended before its kill" : `streams: killed in step ${step}`,
    violations: found.flat(),
  };
}

/** Starts the process, and kills it at a random moment of its turn. */
function startTurn(place: Place, name: string): Promise<{ readonly turnId: string; readonly ended: Child["ended"] }> {
  return new Promise((resolve, reject) => {
    const child = startChild("stream-child.js", [...placeArguments(place), "--agent", name], (word, turnId) => {
      if (word !== "turn") return;
      resolve({ turnId, ended: child.ended });
      setTimeout(() => child.kill(), Math.random() * turnMs);
    });
    void child.ended.then(({ errors }) => reject(new Error(`No turn was started: ${errors}`)));
  });
}

function check(violation: string, isRight: boolean): readonly string[] {
  return isRight ? [] : [violation];
}

async function drain(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function isPrefix(part: readonly AgentEvent[], whole: readonly AgentEvent[]): boolean {
  return JSON.stringify(part) === JSON.stringify(whole.slice(0, part.length));
}

function isSuffix(part: readonly AgentEvent[], whole: readonly AgentEvent[]): boolean {
  return JSON.stringify(part) === JSON.stringify(whole.slice(whole.length - part.length));
}
