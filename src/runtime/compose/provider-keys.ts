// Returns the setting and the environment variable of a model's API key, and the providers that a user can choose.
import { type KeyConfig, keySettingOf } from "../../config/settings/key-settings.ts";
import { openaiIdentity } from "../../model/llm/openai/openai-identity.ts";
import { providerOf, providers } from "../../model/llm/providers.ts";
import type { ProviderChoice } from "../setup.ts";

interface ModelKey {
  readonly setting: keyof KeyConfig;
  readonly variable: string;
  /** Whether the model's provider requires a key. */
  readonly isWanted: boolean;
}

/** Returns the key of a model's provider or, without a provider, the optional key of OpenAI-compatible servers. */
export function keyOf(model: string): ModelKey {
  const provider = providerOf(model);
  const { id, keyVariable } = provider ?? openaiIdentity;
  return { setting: keySettingOf(id), variable: keyVariable, isWanted: provider !== null };
}

/** Returns the providers, and whether each has a key. */
export function providerChoices(config: KeyConfig): readonly ProviderChoice[] {
  return providers.map(({ id, brand, about, offer, keyVariable, keyPage }) => {
    return { id, brand, about, offer, keyVariable, keyPage, hasKey: config[keySettingOf(id)] !== null };
  });
}
