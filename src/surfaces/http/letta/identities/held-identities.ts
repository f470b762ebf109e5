// The identities that an agent holds, for keys that reach only one agent.
// Invariant: an agent holds what its notes name, and nothing else.
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { notesOf } from "../agents/agent-notes.ts";

type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;
type Details = Parameters<UserRuntime["agents"]["setDetails"]>[1];

/** Returns the ids of the identities that an agent has. */
export function identityIdsOf(agent: Pick<AgentRecord, "extensions">): readonly string[] {
  return notesOf(agent).identity_ids ?? [];
}

/** Returns the ids of the identities that an agent has after a change of its details. */
export function withIdentityIds({ extensions = {} }: Details): readonly string[] {
  return identityIdsOf({ extensions });
}
