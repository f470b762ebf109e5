// A mistake in a call of the library is an error with a code, the field, what was expected and what to do.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { RuntimeError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { MistakeScene } from "../support/mistakes/mistake.ts";
import { mistakenOperations, mistakenTurns } from "../support/mistakes/mistaken-calls.ts";
import { mistakenDefinitions, mistakenOptions } from "../support/mistakes/mistaken-options.ts";
import { useRuntimes } from "../support/runtime.ts";

const mistakes = [...mistakenOptions, ...mistakenDefinitions, ...mistakenTurns, ...mistakenOperations];

const runtimes = useRuntimes();
let scene: MistakeScene;
let runtime: Runtime;
let agent: Agent;
const model = createScriptedModel({ replies: [] });

beforeAll(async () => {
  runtime = await runtimes.open({ models: [model], model: model.name });
  agent = await runtime.agents.open("mistakes", { create: { persona: "", human: "" } });
  scene = { runtime: runtime as never, agent: agent as never, place: { ...runtimes.place, embedder: null } };
});

/** What the call threw or was rejected with. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return "no error";
}

test("the table has at least 45 mistakes", () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(45);
});

test.each(mistakes)("$code of $field: $message", async ({ call, code, field, message }) => {
  const error = await errorOf(() => call(scene));
  expect(error).toBeInstanceOf(RuntimeError);
  expect((error as RuntimeError).message).toMatch(message);
  expect(error).toMatchObject(field === undefined ? { code } : { code, field });
});

test("no mistake called the model or wrote anything", async () => {
  expect(model.requests).toEqual([]);
  expect(agent.messages).toEqual([]);
  expect((await runtime.agents.list()).map(({ name }) => name)).toEqual(["mistakes"]);
  expect(await runtime.sources.list()).toEqual([]);
  expect(await runtime.archival.list("mistakes")).toEqual([]);
});
