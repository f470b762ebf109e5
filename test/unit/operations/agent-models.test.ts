// The address of an agent that another user owns.
import { modelOf, summarizerOf, withModel } from "../../../src/runtime/operations/opening/agent-models.ts";
import { checkAgentSettings } from "../../../src/config/agent-settings.ts";
import type { AgentRecord } from "../../../src/store/port/records.ts";
import { createScriptedModel } from "../../../src/model/llm/scripted/scripted-model.ts";
import { fakeSettings } from "../../support/fake-settings.ts";

const address = "http://localhost:9/v1";

const agent = {
  name: "scout",
  ownerId: "ann",
  model: "openai/x",
  settings: { ...fakeSettings, baseUrl: address },
} as AgentRecord;

function depsOf(userId: string, baseUrl: string | null) {
  const asked: (string | null)[] = [];
  const resolve = (name: string, url: string | null) => {
    asked.push(url);
    return createScriptedModel({ replies: [], name });
  };
  const defaults = { model: "demo", protocol: "native", settings: { ...fakeSettings, baseUrl } } as const;
  return { asked, deps: { models: { resolve }, defaults, store: { userId } } };
}

it.each([modelOf, summarizerOf])("%o refuses the owner's address for another user", (resolve) => {
  const { deps, asked } = depsOf("ben", null);
  expect(() => resolve(deps, agent)).toThrow(/belongs to ann .*http:\/\/localhost:9\/v1.*`baseUrl`/u);
  expect(asked).toEqual([]);
});

it("accepts the owner's address if the user has configured the same", () => {
  const { deps, asked } = depsOf("ben", address);
  modelOf(deps, agent);
  expect(asked).toEqual([address]);
});

it("accepts the address for the owner", () => {
  const { deps, asked } = depsOf("ann", null);
  modelOf(deps, agent);
  expect(asked).toEqual([address]);
});

it("stores an address that was given without a scheme with one", () => {
  const { deps } = depsOf("ann", null);
  const models = { ...deps.models, find: deps.models.resolve } as unknown as Parameters<typeof withModel>[0]["models"];
  const changed = withModel({ ...deps, models, checkSettings: checkAgentSettings }, agent, {
    baseUrl: "localhost:1/v1",
  });
  expect(changed.settings.baseUrl).toBe("http://localhost:1/v1");
});
