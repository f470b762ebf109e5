// Records the bodies that an adapter really sends, as they leave it.

export interface WireJournal {
  /** Hand this to the adapter as its `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  readonly bodies: readonly unknown[];
  readonly headers: readonly Headers[];
}

/** A journal in front of the real `fetch`. */
export function createWireJournal(): WireJournal {
  const bodies: unknown[] = [];
  const headers: Headers[] = [];
  return {
    bodies,
    headers,
    fetch: (input, init) => {
      if (typeof init?.body === "string") bodies.push(JSON.parse(init.body));
      headers.push(new Headers(init?.headers));
      return fetch(input, init);
    },
  };
}
