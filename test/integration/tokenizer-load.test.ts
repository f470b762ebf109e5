// The exact tokenizer of OpenAI's models blocks the process while it loads: that is over before a turn begins.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { freeEncoders, isEncodingLoaded } from "../../src/model/tokens/encoding-counter.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

afterAll(async () => freeEncoders());

test("an agent of an OpenAI model is opened with its tokenizer, and one of another model without", async () => {
  const models = ["openai/gpt-5", "scripted"].map((name) =>
    createScriptedModel({ name, replies: () => ({ text: "Hello." }) }),
  );
  const runtime = await runtimes.open({ model: "scripted", models });
  const other = await runtime.agents.open("other", { create: {} });
  await drain(other.send("Hello"));
  expect(isEncodingLoaded("o200k_base")).toBe(false);
  await runtime.agents.create({ name: "exact", model: "openai/gpt-5" });
  freeEncoders();
  await runtime.agents.open("exact");
  expect(isEncodingLoaded("o200k_base")).toBe(true);
});
