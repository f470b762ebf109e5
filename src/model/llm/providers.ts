// Lists the providers that need a key. Each provider is defined in its own folder.
// Invariant: each provider has a setting for its key in src/config/settings/key-settings.ts; a test compares the two.
import { anthropicProvider } from "./anthropic/anthropic-provider.ts";
import type { ModelProvider } from "./model-provider.ts";
import { openaiProvider } from "./openai/openai-provider.ts";

/** The providers in the order of the menu. */
export const providers: readonly ModelProvider[] = [anthropicProvider, openaiProvider];

/** Returns the provider of a model by the model's name; null for a model that needs no key. */
export function providerOf(model: string): ModelProvider | null {
  return providers.find(({ id }) => model.startsWith(`${id}/`)) ?? null;
}
