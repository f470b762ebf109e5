// Finds the user of a request: by its key, never by anything else that the client says.
// Invariant: without a valid key no runtime is touched; a key's text is not kept, logged or repeated.
import type { HostKeys } from "../runtime/keys.ts";
import type { UserRuntime } from "../runtime/runtime.ts";
import { Fault } from "./fault.ts";
import { allows, type Route } from "./route.ts";

type VerifiedKey = NonNullable<Awaited<ReturnType<HostKeys["verify"]>>>;

/** What the server uses of a valid key. */
export type ServedKey = Pick<VerifiedKey, "userId" | "scope" | "agentId">;

export type VerifyKey = (secret: string) => Promise<ServedKey | null>;

/** Throws Fault `key_missing`, `key_invalid` or `key_scope`. */
export async function authenticate(
  verify: VerifyKey,
  secret: string | null,
  { scope }: Pick<Route, "scope">,
): Promise<ServedKey> {
  if (secret === null) {
    throw new Fault(
      401,
      "key_missing",
      "Send a key in the header `Authorization: Bearer KEY`. `palimpsest keys create` makes one.",
    );
  }
  const key = await verify(secret);
  if (key === null)
    throw new Fault(401, "key_invalid", "The key is unknown or was revoked. `palimpsest keys create` makes one.");
  if (!allows(key.scope, scope)) {
    throw new Fault(
      403,
      "key_scope",
      `This request needs a key of scope "${scope}", and the key sent has "${key.scope}".`,
    );
  }
  return key;
}

/** Returns the key that a request has; null if it has none. */
export function keyOf(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+)$/iu.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? headers.get("x-api-key");
}

/** Throws Fault `key_scope` if the key is for one agent and the request names another one or none, and RequestError `agent_not_found`. */
export async function checkAgent(
  { agents }: Pick<UserRuntime, "agents">,
  { agentId }: ServedKey,
  named: string | undefined,
): Promise<void> {
  if (agentId === null) return;
  if (named !== undefined && (await agents.find(named)).id === agentId) return;
  throw otherAgent();
}

/** The refusal of a request about another agent than that of the key. */
export function otherAgent(): Fault {
  return new Fault(403, "key_scope", "The key sent is for one agent, and this request is not about that agent.");
}
