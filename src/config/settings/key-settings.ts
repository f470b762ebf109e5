// The keys of providers of models: a setting for each provider that wants one.
// Invariant: the provider of each is in the table of providers, with the same variable; a test compares them.
import { apiKey } from "./forms.ts";
import { setting, type ValuesOf } from "./setting.ts";

export const keySettings = {
  /** The key of Anthropic's API, for models named `anthropic/NAME`. */
  anthropicApiKey: setting({
    ...apiKey,
    default: null,
    environment: ["ANTHROPIC_API_KEY"],
    isSecret: true,
    keyOf: "anthropic",
  }),
  /** The key of OpenAI's API, for models named `openai/NAME`. */
  openaiApiKey: setting({ ...apiKey, default: null, environment: ["OPENAI_API_KEY"], isSecret: true, keyOf: "openai" }),
};

export type KeyConfig = ValuesOf<typeof keySettings>;

/** The setting that has the key of a provider. */
export function keySettingOf(provider: string): keyof KeyConfig {
  return Object.entries(keySettings).find(([, { keyOf }]) => keyOf === provider)?.[0] as keyof KeyConfig;
}

/** The provider of a model, by its name; null for a model on this machine, or a program's own. */
export function providerIdOf(model: string): string | null {
  return providerIds.find((id) => model.startsWith(`${id}/`)) ?? null;
}

/** The providers, as at the front of a model's name. */
export const providerIds: readonly string[] = Object.values(keySettings).flatMap(({ keyOf }) => keyOf ?? []);
