// A conversation of an agent with a real model: which tools it calls, and what its memory holds at the end.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Trial } from "./ask-directly.ts";

const said = [
  "My name is Ada and I live in Lisbon. Please save that in your core memory, section human.",
  "What is my name, and where do I live?",
];

/** What does not hold. That a small model calls no tool is printed, and is no violation: it is the model's doing. */
export async function converse({ file, contextWindow, log }: Trial): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "palimpsest-trial-gguf-"));
  // A small model may write the same for ever.
  const limits = { maxSteps: 4, maxOutputTokens: 300 };
  const runtime = await createRuntime({ dataDir, embedder: null, model: file, contextWindow, ...limits, log });
  try {
    const agent = await runtime.agents.open("ada", { create: {} });
    log(`agent with ${agent.record.model}`);
    const isNamed = agent.record.model === `gguf/${resolve(file)}`;
    for (const text of said) {
      log(`> ${text}`);
      const began = performance.now();
      for await (const event of agent.send(text)) report(event, { log, began });
    }
    return [...(isNamed ? [] : ["the agent's model is not named by its full path"]), ...(await verdict(runtime, log))];
  } finally {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Telling {
  readonly log: Trial["log"];
  readonly began: number;
}

function report(event: AgentEvent, { log, began }: Telling): void {
  const at = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  if (event.type === "step-start") log(`  [${at}] step ${event.step}, ${event.window.tokens} tokens by estimate`);
  if (event.type === "tool-call") log(`  [${at}] call ${event.name} ${event.arguments}`);
  if (event.type === "tool-result") log(`  [${at}] ${event.status}: ${event.text.slice(0, 200)}`);
  if (event.type === "memory-edit") log(`  [${at}] memory edited`);
  if (event.type === "turn-end") log(`  [${at}] ${event.stopReason} ${JSON.stringify(event.usage)}\n  ${event.text}`);
}

async function verdict(runtime: Runtime, log: Trial["log"]): Promise<readonly string[]> {
  const modules = await runtime.memory.show("ada");
  for (const { label, value, revision } of modules) log(`memory ${label} (revision ${revision}): ${value}`);
  const messages = await runtime.recall.search("ada", "Lisbon");
  return messages.hits.length > 0 ? [] : ["recall: what was said was not kept"];
}
