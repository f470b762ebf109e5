// The table of providers, and the settings of their keys.
import { keySettingOf, keySettings, providerIds } from "../../../../src/config/settings/key-settings.ts";
import { providerOf, providers } from "../../../../src/model/llm/providers.ts";

test("each provider has a setting for its key, read from the variable that its errors name", () => {
  expect([...providerIds].sort()).toEqual(providers.map(({ id }) => id).sort());
  for (const { id, keyVariable } of providers) {
    expect(keySettings[keySettingOf(id)]).toMatchObject({ environment: [keyVariable], isSecret: true });
  }
});

test("a model belongs to the provider in its prefix", () => {
  expect(providerOf("anthropic/claude-x")?.id).toBe("anthropic");
  expect(providerOf("openai/gpt-5")?.id).toBe("openai");
  for (const name of ["demo", "gguf//models/x.gguf", "anthropic", "mine/x"]) expect(providerOf(name)).toBeNull();
});
