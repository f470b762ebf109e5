// Lists the models that the chat can offer: of servers on this machine, and of providers with a configured key.
// Invariant: a key is sent only to the server that it is configured for; no server delays the list for long.
import { messageOf } from "../../base/error-message.ts";
import { RuntimeError } from "../../errors.ts";
import type { ModelLocation, Setup } from "../../runtime/setup.ts";
import { chatNames } from "../setup/model-names.ts";
import type { Settings } from "../world.ts";

const listMs = 4_000;

/** A model that can be chosen. `about`: where it runs. */
export interface ModelOffer {
  readonly model: string;
  /** Null for the provider's own server, and for models without a server. */
  readonly baseUrl: string | null;
  readonly about: string;
}

export interface ModelOffers {
  readonly offers: readonly ModelOffer[];
  /** Why further models are not listed, one sentence each. */
  readonly notes: readonly string[];
}

interface OfferedFrom {
  readonly settings: Pick<Settings, "model" | "baseUrl" | "providers">;
  readonly setup: Pick<Setup, "findServers" | "listModels">;
}

/** Throws the signal's reason. */
export async function offeredModels({ settings, setup }: OfferedFrom, signal: AbortSignal): Promise<ModelOffers> {
  const places = placesOf(settings);
  const [servers, ...listed] = await Promise.all([
    setup.findServers(signal),
    ...places.map((place) => listAt(place, setup, signal)),
  ]);
  const local = servers
    .filter(({ baseUrl }) => !places.some((place) => place.baseUrl === baseUrl))
    .flatMap(({ title, baseUrl, models }) =>
      models.map((name) => ({ model: `openai/${name}`, baseUrl, about: title })),
    );
  return {
    offers: [
      ...local,
      ...listed.flatMap(({ offers }) => offers),
      { model: "demo", baseUrl: null, about: "pattern rules" },
    ],
    notes: [...listed.flatMap(({ notes }) => notes), ...missingKeys(settings)],
  };
}

interface Place extends ModelLocation {
  readonly about: string;
}

/** A configured address has the key of its provider, which then is not sent to the provider's own server. */
function placesOf({ model, baseUrl, providers }: OfferedFrom["settings"]): readonly Place[] {
  const atAddress = baseUrl === null ? null : (providers.find(({ id }) => model.startsWith(`${id}/`))?.id ?? "openai");
  const own = providers.filter(({ id, hasKey }) => hasKey && id !== atAddress);
  const places = own.map(({ id, brand }) => ({ provider: id, baseUrl: null, key: null, about: brand }));
  if (atAddress === null) return places;
  return [{ provider: atAddress, baseUrl, key: null, about: "the configured server" }, ...places];
}

async function listAt(
  { about, ...place }: Place,
  setup: OfferedFrom["setup"],
  signal: AbortSignal,
): Promise<ModelOffers> {
  const timeout = AbortSignal.timeout(listMs);
  try {
    const names = await setup.listModels(place, AbortSignal.any([signal, timeout]));
    const { provider, baseUrl } = place;
    const offers = chatNames(provider, names).map((name) => ({ model: `${provider}/${name}`, baseUrl, about }));
    return { offers, notes: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted && !(error instanceof RuntimeError)) throw error;
    const reason = timeout.aborted ? `no answer within ${listMs / 1000} s` : messageOf(error);
    return { offers: [], notes: [`The models of ${place.baseUrl ?? about} are not listed: ${reason}`] };
  }
}

function missingKeys({ providers }: OfferedFrom["settings"]): readonly string[] {
  const missing = providers
    .filter(({ hasKey }) => !hasKey)
    .map(({ brand, keyVariable }) => `${brand} (${keyVariable})`);
  return missing.length === 0 ? [] : [`Without a key: ${missing.join(", ")}.`];
}
