// Which setting and which variable have the key that a model is called with, and what people can choose among.
import { type KeyConfig, keySettingOf } from "../config/settings/key-settings.ts";
import { openaiIdentity } from "../llm/openai/openai-identity.ts";
import { providerOf, providers } from "../llm/providers.ts";
import type { ProviderChoice } from "../runtime/setup.ts";

interface ModelKey {
  readonly setting: keyof KeyConfig;
  readonly variable: string;
  /** The model's provider wants one. */
  readonly isWanted: boolean;
}

/** For a model without a provider that of compatible servers, which is not wanted. */
export function keyOf(model: string): ModelKey {
  const provider = providerOf(model);
  const { id, keyVariable } = provider ?? openaiIdentity;
  return { setting: keySettingOf(id), variable: keyVariable, isWanted: provider !== null };
}

/** The providers, and which of them have a key. */
export function providerChoices(config: KeyConfig): readonly ProviderChoice[] {
  return providers.map(({ id, brand, about, offer, keyVariable, keyPage }) => {
    return { id, brand, about, offer, keyVariable, keyPage, hasKey: config[keySettingOf(id)] !== null };
  });
}
