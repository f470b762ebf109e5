// Reads and writes the ids of Letta's API (a prefix and one of our UUIDs), and makes Letta's errors for unknown ids.
import { createHash } from "node:crypto";
import * as z from "zod";
import { type ErrorCode, RequestError } from "../../../base/errors.ts";
import { statusOf } from "../fault.ts";
import { WireFault } from "./wire-fault.ts";

interface IdKind {
  readonly prefix: string;
  /** The runtime's error code for an id that does not exist, and Letta's message for it. */
  readonly missing?: readonly [code: ErrorCode, text: (id: string) => string];
}

/** The kinds of ids, by the name of the path parameter with an id of the kind. */
const kinds = {
  agent: { prefix: "agent", missing: ["agent_not_found", (id) => `Agent with ID ${id} not found`] },
  archive: { prefix: "archive", missing: ["source_not_found", (id) => `Archive not found with id='${id}'`] },
  block: { prefix: "block", missing: ["module_unknown", (id) => `Block with id '${id}' not found`] },
  conversation: {
    prefix: "conv",
    missing: ["conversation_not_found", (id) => `Conversation not found with id='${id}'`],
  },
  file: { prefix: "file" },
  folder: { prefix: "source", missing: ["source_not_found", (id) => `Source not found with id='${id}'`] },
  group: { prefix: "group" },
  identity: { prefix: "identity", missing: ["identity_not_found", (id) => `Identity with ID ${id} not found`] },
  mcp_server: {
    prefix: "mcp_server",
    missing: ["mcp_server_not_found", (id) => `MCP server with id '${id}' not found`],
  },
  message: { prefix: "message" },
  passage: { prefix: "passage", missing: ["passage_not_found", (id) => `Passage with id ${id} not found`] },
  run: { prefix: "run", missing: ["turn_not_found", (id) => `Run not found with id='${id}'`] },
  step: { prefix: "step", missing: ["step_not_found", (id) => `Step not found with id='${id}'`] },
  tool: { prefix: "tool", missing: ["tool_not_found", (id) => `Tool not found with id='${id}'`] },
} as const satisfies Readonly<Record<string, IdKind>>;

export type IdName = keyof typeof kinds;
type IdPrefix = (typeof kinds)[IdName]["prefix"];

const exampleUuid = "123e4567-e89b-42d3-8456-426614174000";
const uuid = "[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}";

/** Returns a schema that accepts an id with this prefix and converts the id to its UUID. */
export function idOf(prefix: IdPrefix) {
  const form = new RegExp(`^${prefix}-${uuid}$`, "iu");
  return z
    .string()
    .regex(form, `Expected an id such as ${prefix}-${exampleUuid}.`)
    .transform((id) => id.slice(prefix.length + 1).toLowerCase());
}

function isIdName(name: string): name is IdName {
  return Object.hasOwn(kinds, name);
}

/** Returns the schema of the path parameter with this name: an id, or any text. */
export function parameterNamed(name: string): z.ZodType<string> {
  return isIdName(name) ? idOf(kinds[name].prefix) : z.string();
}

/** Returns an example of a valid id for a path parameter; null if the parameter does not hold an id. */
export function exampleOf(name: string): string | null {
  return isIdName(name) ? `${kinds[name].prefix}-${exampleUuid}` : null;
}

/** Converts an error about an id in the request's path to Letta's error; returns any other error unchanged. */
export function inWordsOfPath(error: unknown, params: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const ids = params as Readonly<Record<string, string | undefined>>;
  const all: readonly (readonly [name: string, kind: IdKind])[] = Object.entries(kinds);
  for (const [name, { prefix, missing }] of all) {
    if (missing?.[0] !== error.code || ids[name] === undefined) continue;
    const detail = missing[1](`${prefix}-${ids[name]}`);
    return new WireFault(statusOf(error.code), error.code, { detail }, { cause: error });
  }
  return error;
}

/** Derives a UUID from a text: the same text always gives the same UUID. */
export function derivedUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}

/** The user id that all records show. The real user of a request is the user of its key. */
export const shownUserId = `user-00000000-0000-4000-8000-000000000000`;
export const shownOrganizationId = `org-00000000-0000-4000-8000-000000000000`;
