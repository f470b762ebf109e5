// Lists the models that the chat can offer: of servers on this machine, and of providers with a configured key.
// Invariant: a key is sent only to the server that it is configured for; a slow server delays the list by 4 s at most.
import { messageOf } from "../../../base/thrown-values.ts";
import { RuntimeError } from "../../../base/errors.ts";
import type { KnownAbilities, ModelLocation, Setup } from "../../../runtime/setup.ts";
import { chatNames } from "../setup/pick-model.ts";
import type { Settings } from "../world.ts";
import type { ModelOffers } from "./load-terminal.ts";

const listMs = 4_000;

interface OfferedFrom {
  readonly settings: Pick<Settings, "model" | "baseUrl" | "providers">;
  readonly setup: Pick<Setup, "findServers" | "listModels" | "abilities">;
}

/** Returns the models of all servers that answer in time, and the demo model. Throws the signal's reason on abort. */
export async function offeredModels({ settings, setup }: OfferedFrom, signal: AbortSignal): Promise<ModelOffers> {
  const places = placesOf(settings);
  const [servers, ...listed] = await Promise.all([
    setup.findServers(signal),
    ...places.map((place) => listAt(place, setup, signal)),
  ]);
  const local = await Promise.all(
    servers
      .filter(({ baseUrl }) => !places.some((place) => place.baseUrl === baseUrl))
      .map(async ({ title, baseUrl, models }) => {
        const place = { provider: "openai", baseUrl, key: "", about: title };
        return offersOf(place, models, { setup, signal });
      }),
  );
  return {
    offers: [
      ...local.flat(),
      ...listed.flatMap(({ offers }) => offers),
      { model: "demo", baseUrl: null, about: "pattern rules" },
    ],
    notes: [...listed.flatMap(({ notes }) => notes), ...missingKeys(settings)],
  };
}

interface Place extends ModelLocation {
  readonly about: string;
}

/**
 * Returns the servers with a configured key or address. If an address is configured, the key of its provider belongs to
 * that address, and the provider's own server is omitted.
 */
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
    const bounded = AbortSignal.any([signal, timeout]);
    const names = await setup.listModels(place, bounded);
    return { offers: await offersOf({ ...place, about }, names, { setup, signal: bounded }), notes: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted && !(error instanceof RuntimeError)) throw error;
    const reason = timeout.aborted ? `no answer within ${listMs / 1000} s` : messageOf(error);
    return { offers: [], notes: [`The models of ${place.baseUrl ?? about} are not listed: ${reason}`] };
  }
}

/** Returns the models of one server, except those that return vectors. `about` says if a model cannot call tools. */
async function offersOf(
  { about, ...place }: Place,
  names: readonly string[],
  { setup, signal }: { readonly setup: OfferedFrom["setup"]; readonly signal: AbortSignal },
): Promise<ModelOffers["offers"]> {
  const { provider, baseUrl } = place;
  const shown = chatNames(provider, names);
  const known = baseUrl === null ? new Map<string, KnownAbilities>() : await setup.abilities(place, shown, signal);
  return shown
    .filter((name) => known.get(name)?.embeddings !== true)
    .map((name) => {
      const lacks = known.get(name)?.tools === false ? ", cannot call tools" : "";
      return { model: `${provider}/${name}`, baseUrl, about: `${about}${lacks}` };
    });
}

function missingKeys({ providers }: OfferedFrom["settings"]): readonly string[] {
  const missing = providers
    .filter(({ hasKey }) => !hasKey)
    .map(({ brand, keyVariable }) => `${brand} (${keyVariable})`);
  return missing.length === 0 ? [] : [`Not listed, no key: ${missing.join(", ")}.`];
}
