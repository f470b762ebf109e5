// The providers of models that want a key: one entry for each, which its own folder has.
// Invariant: each has a setting for its key, in src/config/settings/key-settings.ts; a test compares the two.
import { anthropicProvider } from "./anthropic/anthropic-provider.ts";
import type { ModelProvider } from "./model-provider.ts";
import { openaiProvider } from "./openai/openai-provider.ts";

/** In the order in which people are offered them. */
export const providers: readonly ModelProvider[] = [anthropicProvider, openaiProvider];

/** Whose a model is, by its name; null for one that takes no key. */
export function providerOf(model: string): ModelProvider | null {
  return providers.find(({ id }) => model.startsWith(`${id}/`)) ?? null;
}
