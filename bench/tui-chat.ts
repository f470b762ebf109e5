// Runs the chat with an agent that streams at a fixed rate, in a separate process: `tui-chat.js FILE TOKENS TOKENS_PER_SECOND`.
// Writes the duration of the stream and its CPU time, in seconds, as JSON to FILE.
import type { Agent } from "../src/agent/agent.ts";
import { driveTurn } from "../src/agent/lease/drive-turn.ts";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, EventBody } from "../src/agent/events.ts";
import { noUsage } from "../src/base/message/message.ts";
import { createFakeAgent, stepStart, turnEnd } from "../test/support/fake-agent.ts";
import { createFakeRuntime } from "../test/support/fake-runtime.ts";
import { longReply } from "./terminal/long-reply.ts";

// React chooses its build by it when it is loaded; in the program, the bundler chooses.
process.env["NODE_ENV"] = "production";
const { runChat } = await import("../src/surfaces/terminal/chat.ts");

const [file = "", tokens = "", perSecond = ""] = process.argv.slice(2);
const pieces = longReply(Number(tokens));
const agent = createFakeAgent();

async function* stream(): AsyncGenerator<AgentEvent, void> {
  let sequence = 0;
  const event = (body: EventBody): AgentEvent => ({
    agentId: "a",
    conversationId: agent.conversationId,
    turnId: "t",
    sequence: sequence++,
    ...body,
  });
  yield event(stepStart());
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  for (const [index, text] of pieces.entries()) {
    const dueMs = began + (1000 * index) / Number(perSecond) - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    yield event({ type: "text-delta", step: 1, text });
  }
  const { user, system } = process.cpuUsage(cpuBegan);
  const seconds = { stream: (performance.now() - began) / 1e3, cpu: (user + system) / 1e6 };
  yield event({ type: "step-end", step: 1, usage: noUsage });
  yield event(turnEnd());
  writeFileSync(file, JSON.stringify(seconds));
}

await runChat({
  runtime: createFakeRuntime(),
  agent: { ...agent, send: (() => driveTurn(stream(), console.error)) as unknown as Agent["send"] },
  version: "0.0.0",
  color: true,
});
