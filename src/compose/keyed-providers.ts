// The providers that want a key: how they are called, where they are, and which setting has it.
import type { KeyedProvider } from "../runtime/setup.ts";

export const keyedProviders = {
  anthropic: {
    brand: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    setting: "anthropicApiKey",
    url: "https://api.anthropic.com",
  },
  openai: { brand: "OpenAI", variable: "OPENAI_API_KEY", setting: "openaiApiKey", url: "https://api.openai.com/v1" },
} as const;

/** Whose a model is, by its name; null for one that takes no key. */
export function keyedProviderOf(model: string): KeyedProvider | null {
  if (model.startsWith("anthropic/")) return "anthropic";
  return model.startsWith("openai/") ? "openai" : null;
}
