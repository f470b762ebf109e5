// Returns the kinds of files that a model accepts besides text.
// Invariant: pure; the configuration takes precedence if the adapter supports files, and an unknown model is sent only text.
import type { Config } from "../../config/settings.ts";
import { providerOf } from "../../model/llm/providers.ts";
import type { ModelInput } from "../../base/message/file-part.ts";

export function modelInputsOf(config: Pick<Config, "modelInputs" | "baseUrl">, model: string): readonly ModelInput[] {
  // The adapter for GGUF files sends only text.
  if (model.startsWith("gguf/")) return [];
  if (config.modelInputs !== null) return config.modelInputs;
  const provider = providerOf(model);
  return provider?.inputsOf(model.slice(provider.id.length + 1), config.baseUrl !== null) ?? [];
}
