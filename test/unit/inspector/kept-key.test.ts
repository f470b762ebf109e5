// The key of the inspector: for a code, which leaves the address at once, into the storage of the tab.
import { dropKey, keepKey, takeKey } from "../../../src/surfaces/inspector/session/kept-key.ts";

function places(hash: string, kept?: string) {
  const values = new Map(kept === undefined ? [] : [["palimpsest-key", kept]]);
  const addresses: string[] = [];
  const sent: [string, string][] = [];
  return {
    addresses,
    sent,
    async fetch(url: string, { body }: { readonly body: string }) {
      sent.push([url, body]);
      const isUsed = body.includes("used");
      return { ok: !isUsed, json: async () => (isUsed ? { detail: "The code was used." } : { key: "pk_abc-1" }) };
    },
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

test("the code of the address becomes a key that is kept, and leaves the address", async () => {
  const given = places("#code=c0de-1", "old");
  expect(await takeKey(given)).toEqual({ key: "pk_abc-1", reason: null });
  expect([given.addresses, given.sent]).toEqual([["/inspect"], [["/inspect/key", '{"code":"c0de-1"}']]]);
  const later = { ...given, location: { ...given.location, hash: "#/health" } };
  expect(await takeKey(later)).toEqual({ key: "pk_abc-1", reason: null });
});

test("a code that was used gives the reason, and no older key", async () => {
  const given = places("#code=used", "old");
  expect(await takeKey(given)).toEqual({ key: null, reason: "The code was used." });
  expect(given.addresses).toEqual(["/inspect"]);
});

test("another address is left alone, also one with a key", async () => {
  for (const hash of ["#/agents/bo/memory", "#key=pk_abc-1"]) {
    const given = places(hash);
    expect(await takeKey(given)).toEqual({ key: null, reason: null });
    expect([given.addresses, given.sent]).toEqual([[], []]);
  }
});

test("a key can be kept and dropped", async () => {
  const given = places("");
  keepKey(given.storage, "one");
  expect((await takeKey(given)).key).toBe("one");
  dropKey(given.storage);
  expect((await takeKey(given)).key).toBeNull();
});
