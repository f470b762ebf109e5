// Runs the chat with an agent that streams at a fixed rate, in a separate process: `tui-chat.js FILE TOKENS TOKENS_PER_SECOND`.
// Writes the duration of the stream and its CPU time, in seconds, as JSON to FILE. The messages `items N` are answered by many items.
import type { Agent } from "../src/agent/agent.ts";
import { driveTurn } from "../src/agent/lease/drive-turn.ts";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, EventBody } from "../src/agent/events.ts";
import { noUsage } from "../src/base/message/message.ts";
import { createFakeAgent, createFakeRuntime, stepStart, turnEnd } from "../test/support/fake-agent.ts";
import { longReply } from "./terminal/long-reply.ts";

// React chooses its build by it when it is loaded; in the program, the bundler chooses.
process.env["NODE_ENV"] = "production";
const { runChat } = await import("../src/surfaces/terminal/chat.ts");

const [file = "", tokens = "", perSecond = ""] = process.argv.slice(2);
const agent = createFakeAgent();

async function* turn(bodies: AsyncGenerator<EventBody, void>): AsyncGenerator<AgentEvent, void> {
  let sequence = 0;
  for await (const body of bodies)
    yield { agentId: "a", conversationId: agent.conversationId, turnId: "t", sequence: sequence++, ...body };
}

async function* reply(signal: AbortSignal | undefined): AsyncGenerator<EventBody, void> {
  yield stepStart();
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  for (const [index, text] of longReply(Number(tokens)).entries()) {
    const dueMs = began + (1000 * index) / Number(perSecond) - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    if (signal?.aborted === true) {
      yield { type: "turn-end", stopReason: "interrupted", text: "", steps: 1, usage: noUsage };
      return;
    }
    yield { type: "text-delta", step: 1, text };
  }
  const { user, system } = process.cpuUsage(cpuBegan);
  const seconds = { stream: (performance.now() - began) / 1e3, cpu: (user + system) / 1e6 };
  yield { type: "step-end", step: 1, usage: noUsage };
  yield turnEnd();
  writeFileSync(file, JSON.stringify(seconds));
}

/** Yields 49 calls with their results: with the message and the reply, 100 items. The reply has the memory of the process. */
async function* items(text: string): AsyncGenerator<EventBody, void> {
  yield stepStart();
  const call = { step: 1, name: "look", status: "ok" } as const;
  for (let number = 1; number < 50; number += 1) {
    const callId = `call-${number}`;
    yield { ...call, type: "tool-call", callId, arguments: `{"place":"harbour ${number}"}` };
    yield { ...call, type: "tool-result", callId, text: `The boats of berth ${number} have left.\n`.repeat(3) };
    if (number % 10 === 0) await sleep(20);
  }
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  yield { type: "text-delta", step: 1, text: `ANSWER to ${text}: ${megabytes} MB` };
  yield turnEnd();
}

const send = (text: string, { signal }: { readonly signal?: AbortSignal } = {}) =>
  driveTurn(turn(text.startsWith("items") ? items(text) : reply(signal)), console.error);

await runChat({
  runtime: createFakeRuntime(),
  agent: { ...agent, send: send as unknown as Agent["send"] },
  version: "0.0.0",
  color: true,
});
