// The keys of providers of models: a setting for each provider that wants one.
// Invariant: the provider of each is in the table of providers, with the same variable; a test compares them.
import { apiKey } from "./forms.ts";
import { setting } from "./setting.ts";

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

/** The providers, as at the front of a model's name. */
export const providerIds: readonly string[] = Object.values(keySettings).flatMap(({ keyOf }) => keyOf ?? []);
