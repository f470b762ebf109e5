// A cache that several owners share, such as the users of a host. It evicts the least recently used values.
// Invariant: the weights of all values stay within `size`, and those of one owner within `maxOfOne`, so an owner with many
// values evicts only own values. Taking a value removes it, so no two callers hold the same value.

export interface SharedCache<Value> {
  /** Removes a value, and returns it; null if there is none. */
  take(owner: string, key: string): Value | null;
  /** Stores a value and replaces one with the same key. A value that is too heavy for its owner is not stored. */
  put(owner: string, key: string, value: Value, weight: number): void;
  drop(owner: string): void;
  /** The weight of all values. */
  readonly weight: number;
}

interface Entry<Value> {
  readonly owner: string;
  readonly key: string;
  readonly value: Value;
  readonly weight: number;
}

export function createSharedCache<Value>(limits: {
  readonly size: number;
  readonly maxOfOne: number;
}): SharedCache<Value> {
  // A Set keeps its order, so the first entry is the least recently used one.
  const all = new Set<Entry<Value>>();
  const owners = new Map<string, { weight: number; readonly entries: Map<string, Entry<Value>> }>();
  let weight = 0;

  function remove(entry: Entry<Value>): void {
    const own = owners.get(entry.owner)!;
    all.delete(entry);
    own.entries.delete(entry.key);
    own.weight -= entry.weight;
    weight -= entry.weight;
    if (own.entries.size === 0) owners.delete(entry.owner);
  }

  function take(owner: string, key: string): Value | null {
    const entry = owners.get(owner)?.entries.get(key);
    if (entry === undefined) return null;
    remove(entry);
    return entry.value;
  }

  return {
    take,
    put(owner, key, value, added) {
      take(owner, key);
      if (added > limits.maxOfOne) return;
      const entry = { owner, key, value, weight: added };
      const own = owners.get(owner) ?? { weight: 0, entries: new Map<string, Entry<Value>>() };
      owners.set(owner, own);
      own.entries.set(key, entry);
      own.weight += added;
      all.add(entry);
      weight += added;
      while (own.weight > limits.maxOfOne) remove(first(own.entries.values()));
      while (weight > limits.size) remove(first(all));
    },
    drop(owner) {
      for (const entry of owners.get(owner)?.entries.values() ?? []) remove(entry);
    },
    get weight() {
      return weight;
    },
  };
}

function first<Item>(items: Iterable<Item>): Item {
  for (const item of items) return item;
  throw new TypeError("Expected a value to evict, got none.");
}
