// The stand-in keeps a scratchpad: it adds what the user stated, loses nothing, and answers the same each time.
import { createDemoModel } from "../../../src/llm/demo/demo-model.ts";
import { type ScratchpadDraft, scratchpadRequest } from "../../../src/context/redraft-scratchpad.ts";
import { ScratchpadMemory } from "../../../src/memory/core/scratchpad-memory.ts";
import { deltas, drain } from "../../support/model-events.ts";
import { storedMessage } from "../../support/messages.ts";

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

test("it keeps all fields, adds facts that the user stated and quotes the last sentence", async () => {
  const kept = await answer("I live in Lisbon. What next?");
  expect(JSON.parse(kept)).toEqual({
    objective: "Sail to Madeira",
    key_facts: ["Lives in: Lisbon"],
    decisions: [],
    current_step: 'The user said: "What next"',
    blockers: ["No mast"],
  });
  expect(await answer("I live in Lisbon. What next?")).toBe(kept);
  expect(JSON.parse(await answer("I live in Lisbon.", { text: kept }))).toMatchObject({
    key_facts: ["Lives in: Lisbon"],
  });
});

test("a fact for which there is no room is left out, and the others are kept", async () => {
  const facts = "I live in Lisbon. My favourite colour is ultramarine blue. I have a dog.";
  const all = JSON.parse(await answer(facts)) as { readonly key_facts: readonly string[] };
  expect(all.key_facts.length).toBeGreaterThan(1);
  const tight = JSON.parse(await answer(facts, { limit: JSON.stringify(all, null, 2).length - 1 })) as typeof all;
  expect(tight.key_facts).toEqual(all.key_facts.slice(0, -1));
});

test("it fills only fields that there are", async () => {
  const fields = { ticket: { type: "string" }, key_facts: { type: "string" } };
  expect(JSON.parse(await answer("I live in Lisbon.", { fields, text: "" }))).toEqual({});
});

test.each<[string, Partial<ScratchpadDraft>]>([
  ["that is no JSON", { text: "Objective: sail" }],
  ["that would be over its limit", { limit: 150 }],
])("a scratchpad %s comes back as it stands", async (_, change) => {
  expect(await answer("I live in Lisbon.", change)).toBe(change.text ?? memory.read("scratchpad"));
});
