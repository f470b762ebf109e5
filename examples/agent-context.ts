// The context of a model call without an agent: a prompt, the state of a task, and a conversation, within a budget of tokens.
import { strict as assert } from "node:assert";
import { createRuntime, ScratchpadMemory } from "palimpsest";
import { buildAgentContext } from "palimpsest/buffer";

const memory = new ScratchpadMemory({
  scratchpad: { objective: "Sail to Cascais", current_step: "Wait for the wind" },
});
// The messages are your own, or those of a conversation in a store: no agent is opened, and no model is called.
const runtime = await createRuntime({ dataDir: "data", model: "demo" });
await runtime.agents.create({ name: "pilot", persona: "I pilot boats.", human: "Name: Ada" });
const { id } = await runtime.conversations.import("pilot", {
  messages: Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `Message ${index}: ${"the wind blows from the north. ".repeat(10)}`,
    at: new Date(Date.UTC(2026, 0, 1, 12, index)),
  })),
});

const context = await buildAgentContext({
  systemPrompt: "You are a pilot.",
  scratchpad: memory.render(["scratchpad"]),
  messages: await runtime.conversations.export(id),
  maxTokens: 2000,
  recentTurns: 4,
  countTokens: (text) => Math.ceil(text.length / 4),
  // A real summarizer would call a model.
  summarizer: async (messages) => `${messages.length} messages about the wind.`,
});
assert.equal(context.summary, "32 messages about the wind.");
assert.equal(context.messages.length, 2 + 1 + 8);
process.stdout.write(`${context.messages.map(({ role, content }) => `${role}: ${content.slice(0, 60)}`).join("\n")}\n`);
await runtime.close();
