// Returns the server that lists a provider's models: the provider's own server or a compatible one, with the configured key.
import { type KeyConfig, keySettingOf } from "../../config/settings/key-settings.ts";
import { describeProvider } from "../../model/llm/failure/model-errors.ts";
import type { ModelProvider } from "../../model/llm/model-provider.ts";
import type { ModelServer } from "../../model/llm/servers/list-models.ts";

export interface ServerPlace {
  /** The address of a compatible server; null: the provider's own server. */
  readonly baseUrl: string | null;
  /** The key; null: the configured key, if there is one. An empty text: no key. */
  readonly key: string | null;
}

export function modelServerAt(provider: ModelProvider, { baseUrl, key }: ServerPlace, config: KeyConfig): ModelServer {
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
