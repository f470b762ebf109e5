// The ids of Letta's API: a prefix with one of our UUIDs.
// Invariant: a handler gets the UUID in lower case; an id of another form is refused before anything is looked up.
import * as z from "zod";

/** The prefix of an id, by the parameter of a path or query that has one. */
const prefixes = {
  agent: "agent",
  archive: "archive",
  block: "block",
  conversation: "conv",
  file: "file",
  folder: "source",
  identity: "identity",
  mcp_server: "mcp_server",
  message: "message",
  passage: "passage",
  run: "run",
  step: "step",
  tool: "tool",
} as const;

export type IdName = keyof typeof prefixes;
export type IdPrefix = (typeof prefixes)[IdName];

const exampleUuid = "123e4567-e89b-42d3-8456-426614174000";
const uuid = "[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}";

/** Accepts an id with the prefix, and returns its UUID. */
export function idOf<Prefix extends IdPrefix>(prefix: Prefix) {
  const form = new RegExp(`^${prefix}-${uuid}$`, "iu");
  return z
    .string()
    .regex(form, `Expected an id such as ${prefix}-${exampleUuid}.`)
    .transform((id) => id.slice(prefix.length + 1).toLowerCase());
}

/** Accepts an id of the kind that a parameter of this name has. */
export function idNamed(name: IdName) {
  return idOf<IdPrefix>(prefixes[name]);
}

/** Returns a valid id for a parameter of a path; null if it is no id. */
export function exampleOf(name: string): string | null {
  return Object.hasOwn(prefixes, name) ? `${prefixes[name as IdName]}-${exampleUuid}` : null;
}

export const agentPath = z.object({ agent: idOf("agent") });

/** The user to whom everything belongs, in Letta's form: the user of a request is that of its key. */
export const shownUserId = `user-00000000-0000-4000-8000-000000000000`;
export const shownOrganizationId = `org-00000000-0000-4000-8000-000000000000`;
