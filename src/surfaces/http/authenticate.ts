// Finds the user of a request by the key of the request only.
// Invariant: no runtime is used without a valid key; the text of a key is not kept, logged or repeated.
import type { UserRuntime } from "../../runtime/runtime.ts";
import { runtimeOfAgent } from "./agent-runtime.ts";
import { Fault } from "./fault.ts";
import type { KeyGate, ServedKey } from "./key-gate.ts";
import { readingRuntime } from "./reading-runtime.ts";
import { allows, type Route } from "./route.ts";

/** A key, and the address that sent it. */
export interface SentKey {
  readonly secret: string;
  readonly address: string;
}

/** Verifies a key, and returns it with its user. Throws Fault `key_invalid`, and `rate_limited` like `KeyGate.verify`. */
export async function authenticate(gate: KeyGate, { secret, address }: SentKey): Promise<ServedKey> {
  const key = await gate.verify(secret, address);
  if (key !== null) return key;
  throw new Fault(401, "key_invalid", "The key is unknown or was revoked. `palimpsest keys create` makes one.");
}

/** Checks that a key allows a route. Throws Fault `key_scope` if it does not. */
export function requireScope(key: ServedKey, { scope }: Pick<Route, "scope">): void {
  if (allows(key.scope, scope)) return;
  const message = `This request needs a key of scope "${scope}", and the key sent has "${key.scope}".`;
  throw new Fault(403, "key_scope", message);
}

/** Returns the key of a request. Throws Fault `key_missing` if there is none. */
export function requireKey(secret: string | null): string {
  if (secret !== null) return secret;
  const message = "Send a key in the header `Authorization: Bearer KEY`. `palimpsest keys create` makes one.";
  throw new Fault(401, "key_missing", message);
}

/** Returns the key in the headers of a request; null if there is none. */
export function keyOf(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+)$/iu.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? headers.get("x-api-key");
}

/** Returns the runtime of a key's user; the runtime refuses everything that the key does not allow. */
export function runtimeOfKey(runtime: UserRuntime, { agentId, scope }: ServedKey): UserRuntime {
  const allowed = scope === "read" ? readingRuntime(runtime) : runtime;
  return agentId === null ? allowed : runtimeOfAgent(allowed, agentId);
}
