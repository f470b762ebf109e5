// The demo model keeps a scratchpad: it adds facts that the user stated and loses nothing.
import { createDemoModel } from "../../../../src/model/llm/demo/demo-model.ts";
import { type ScratchpadDraft, scratchpadRequest } from "../../../../src/context/redraft-scratchpad.ts";
import { ScratchpadMemory } from "../../../../src/memory/core/scratchpad-memory.ts";
import { deltas, drain } from "../../../support/model-events.ts";
import { storedMessage } from "../../../support/messages.ts";

const memory = new ScratchpadMemory({ scratchpad: { objective: "Sail to Madeira", blockers: ["No mast"] } });

async function answer(said: string, change: Partial<ScratchpadDraft> = {}): Promise<string> {
  const messages = [
    storedMessage({ role: "user", content: [{ type: "text", text: said }] }),
    storedMessage({ role: "assistant", content: [{ type: "text", text: "I have a boat." }] }),
  ];
  const draft = {
    text: memory.read("scratchpad"),
    fields: memory.fields,
    limit: 2000,
    messages,
    tokens: 1000,
    maxOutputTokens: 1000,
    ...change,
  };
  return deltas(await drain(createDemoModel(), scratchpadRequest(draft)), "text-delta");
}

test("it keeps all fields and adds facts that the user stated, once", async () => {
  const kept = await answer("I live in Lisbon. What next?");
  expect(JSON.parse(kept)).toEqual({
    objective: "Sail to Madeira",
    key_facts: ["Lives in: Lisbon"],
    decisions: [],
    current_step: "",
    blockers: ["No mast"],
  });
  expect(await answer("I live in Lisbon.", { text: kept })).toBe(kept);
});

test.each<[string, Partial<ScratchpadDraft>]>([
  ["that is not JSON", { text: "Objective: sail" }],
  ["that would be over its limit", { limit: 150 }],
  ["without a list of facts", { text: '{"ticket":"T-7"}' }],
])("a scratchpad %s is returned unchanged", async (_, change) => {
  expect(await answer("I live in Lisbon.", change)).toBe(change.text ?? memory.read("scratchpad"));
});
