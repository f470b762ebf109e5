// The key of the inspector: out of the address at once, into the storage of the tab.
import { dropKey, keepKey, takeKey } from "../../../src/inspector/session/kept-key.ts";

function places(hash: string, kept?: string) {
  const values = new Map(kept === undefined ? [] : [["palimpsest-key", kept]]);
  const addresses: string[] = [];
  return {
    addresses,
    location: { hash, pathname: "/inspect", search: "" },
    history: {
      replaceState: (_: unknown, __: string, address?: string | URL | null) => void addresses.push(String(address)),
    },
    storage: {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
      removeItem: (name: string) => void values.delete(name),
    },
  };
}

test("a key in the address is kept, and leaves the address", () => {
  const given = places("#key=pk_abc-1", "old");
  expect(takeKey(given)).toBe("pk_abc-1");
  expect(given.addresses).toEqual(["/inspect"]);
  expect(takeKey({ ...given, location: { ...given.location, hash: "#/health" } })).toBe("pk_abc-1");
});

test("another address is left alone", () => {
  const given = places("#/agents/bo/memory");
  expect(takeKey(given)).toBeNull();
  expect(given.addresses).toEqual([]);
});

test("a key can be kept and dropped", () => {
  const given = places("");
  keepKey(given.storage, "one");
  expect(takeKey(given)).toBe("one");
  dropKey(given.storage);
  expect(takeKey(given)).toBeNull();
});
