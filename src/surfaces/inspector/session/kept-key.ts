// Exchanges the one-time code in the address for the key of the server, and keeps the key in the storage of this tab.
// Invariant: neither the key nor the code stays in the address, and the key is deleted with the tab.

const name = "palimpsest-key";

export interface KeyPlaces {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: { replaceState(state: null, unused: string, address: string): void };
  readonly storage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  readonly fetch: (
    url: string,
    init: { readonly method: "POST"; readonly body: string },
  ) => Promise<Pick<Response, "ok" | "json">>;
}

export interface TakenKey {
  /** The key; null if there is none. */
  readonly key: string | null;
  /** Why the server did not accept the code; null if it did, or if there was no code. */
  readonly reason: string | null;
}

/** Exchanges the code in the address for the key, and keeps the key. Without a code, returns the kept key. */
export async function takeKey({ location, history, storage, fetch }: KeyPlaces): Promise<TakenKey> {
  const [, code] = /^#code=([\w-]+)$/u.exec(location.hash) ?? [];
  if (code === undefined) return { key: storage.getItem(name), reason: null };
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  const response = await fetch("/inspect/key", { method: "POST", body: JSON.stringify({ code }) });
  const { key, detail } = (await response.json()) as { readonly key?: string; readonly detail?: string };
  if (!response.ok || key === undefined) return { key: null, reason: detail ?? "The server did not accept the code." };
  storage.setItem(name, key);
  return { key, reason: null };
}

export function keepKey(storage: KeyPlaces["storage"], key: string): void {
  storage.setItem(name, key);
}

export function dropKey(storage: KeyPlaces["storage"]): void {
  storage.removeItem(name);
}
