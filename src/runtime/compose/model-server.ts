// Returns the server that lists a provider's models: the provider's own server or a compatible one, with the configured key.
import { type KeyConfig, keySettingOf } from "../../config/settings/key-settings.ts";
import { describeProvider } from "../../model/llm/failure/model-errors.ts";
import type { ModelProvider } from "../../model/llm/model-provider.ts";
import type { ModelServer } from "../../model/llm/servers/list-models.ts";
import type { ModelLocation } from "../setup.ts";

export function modelServerAt(
  provider: ModelProvider,
  { baseUrl, key }: Pick<ModelLocation, "baseUrl" | "key">,
  config: KeyConfig,
): ModelServer {
  const keyOption = keySettingOf(provider.id);
  const own = (key ?? config[keyOption]) || null;
  const facts = { ...provider, keyOption, model: "", apiKey: own ?? "", baseUrl: baseUrl ?? undefined };
  return {
    provider: provider.id,
    title: describeProvider(facts).title,
    url: (baseUrl ?? provider.url).replace(/\/{1,20}$/u, ""),
    listing: provider.listing,
    key: own,
  };
}
