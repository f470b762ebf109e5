// The key of the server: from the address once, then in the storage of this tab.
// Invariant: the key never stays in the address, and leaves with the tab.

const name = "palimpsest-key";

export interface KeyPlaces {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: { replaceState(state: null, unused: string, address: string): void };
  readonly storage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
}

/** Takes a key out of the address and keeps it. Returns the key that is kept; null if there is none. */
export function takeKey({ location, history, storage }: KeyPlaces): string | null {
  const [, sent] = /^#key=([\w.~-]+)$/u.exec(location.hash) ?? [];
  if (sent !== undefined) {
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    storage.setItem(name, sent);
  }
  return storage.getItem(name);
}

export function keepKey(storage: KeyPlaces["storage"], key: string): void {
  storage.setItem(name, key);
}

export function dropKey(storage: KeyPlaces["storage"]): void {
  storage.removeItem(name);
}
