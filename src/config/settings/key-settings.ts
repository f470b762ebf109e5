// Defines the settings for the API keys of model providers: one for each provider that requires a key.
// Invariant: the table of providers names the same environment variable for each provider; a test compares both.
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

/** Returns the setting that contains the key of a provider. */
export function keySettingOf(provider: string): keyof KeyConfig {
  return Object.entries(keySettings).find(([, { keyOf }]) => keyOf === provider)?.[0] as keyof KeyConfig;
}

/** Returns the provider of a model, from its name; null for a local model or a model of the program. */
export function providerIdOf(model: string): string | null {
  return providerIds.find((id) => model.startsWith(`${id}/`)) ?? null;
}

/** The providers by the names with which model names begin, such as `openai`. */
export const providerIds: readonly string[] = Object.values(keySettings).flatMap(({ keyOf }) => keyOf ?? []);
