// What a model can be sent besides text, by what its provider says of it.
// Invariant: pure; what is configured wins where the adapter can send it, and a model that nothing is known of is sent text alone.
import type { Config } from "../config/settings.ts";
import { providerOf } from "../llm/providers.ts";
import type { ModelInput } from "../message/file-part.ts";

export function modelInputsOf(config: Pick<Config, "modelInputs" | "baseUrl">, model: string): readonly ModelInput[] {
  // Its adapter sends text, whatever the model could see.
  if (model.startsWith("gguf/")) return [];
  if (config.modelInputs !== null) return config.modelInputs;
  const provider = providerOf(model);
  return provider?.inputsOf(model.slice(provider.id.length + 1), config.baseUrl !== null) ?? [];
}
