// Reads and writes the ids of Letta's API (a prefix and one of our UUIDs), and makes Letta's errors for unknown ids. Letta's
// API shows a stored message as several messages. Each has the stored message's id or an id derived from it.
import * as z from "zod";
import { type ErrorCode, RequestError } from "../../../base/errors.ts";
import { statusOf } from "../fault.ts";
import { WireFault } from "./wire-fault.ts";

interface IdKind {
  readonly prefix: string;
  /** The runtime's error code for an id that does not exist, and Letta's message for it. */
  readonly missing?: readonly [code: ErrorCode, text: (id: string) => string];
}

/** The kinds of ids, each under the name of the path parameter that holds such an id. */
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
const uuidPattern = "[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}";

/** Returns a schema that accepts an id with this prefix and converts the id to its UUID. */
export function idOf(prefix: IdPrefix) {
  const form = new RegExp(`^${prefix}-${uuidPattern}$`, "iu");
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

/** The kinds of messages that are shown besides the stored message with the id's UUID. Each kind has a mark in the id. */
export type IdMark =
  /** The results of the message's calls. If the UUID is the id of a conversation: the prompt of the conversation. */
  | "derived"
  /** The decisions about the message's calls. */
  | "decision";

const messagePrefix = "message-";

const uuidForm = new RegExp(`^${uuidPattern}$`, "u");

/** For each mark, the index of a digit in the UUID (14: version, 19: variant, 8 to b), and the bit to flip in it. */
const marks: Readonly<Record<IdMark, readonly [at: number, bit: number]>> = { derived: [19, 4], decision: [14, 8] };

/** Returns the id that Letta shows for the UUID of a message. Throws TypeError for a text that is not a UUID. */
export function messageId(uuid: string, mark: IdMark | null = null): string {
  if (mark === null) return `${messagePrefix}${uuid}`;
  if (!uuidForm.test(uuid)) throw new TypeError(`Expected a UUID, got "${uuid}".`);
  return `${messagePrefix}${flipped(uuid, mark)}`;
}

export interface ReadMessageId {
  readonly uuid: string;
  readonly mark: IdMark | null;
}

/** Returns the UUID and the mark (`IdMark`) that an id contains; null if the text is not the id of a message. */
export function readMessageId(id: string): ReadMessageId | null {
  const uuid = id.slice(messagePrefix.length).toLowerCase();
  if (!id.startsWith(messagePrefix) || !uuidForm.test(uuid)) return null;
  const found = (["derived", "decision"] as const).find((mark) => {
    const [at, bit] = marks[mark];
    return (Number.parseInt(uuid.charAt(at), 16) & bit) !== 0;
  });
  return found === undefined ? { uuid, mark: null } : { uuid: flipped(uuid, found), mark: found };
}

function flipped(uuid: string, mark: IdMark): string {
  const [at, bit] = marks[mark];
  const digit = (Number.parseInt(uuid.charAt(at), 16) ^ bit).toString(16);
  return `${uuid.slice(0, at)}${digit}${uuid.slice(at + 1)}`;
}

/** Returns the `otid` of a shown message. Its last seven bits are `index`: the index among the messages with this id. */
export function otidOf(id: string, index: number): string {
  const uuid = id.slice(messagePrefix.length);
  const lastByte = (Number.parseInt(uuid.slice(-2), 16) & 0x80) | (index & 0x7f);
  return `${uuid.slice(0, -2)}${lastByte.toString(16).padStart(2, "0")}`;
}

/** Returns the id of a reply's step. It contains the reply's UUID, which is known before the step is stored. */
export function stepId(replyUuid: string): string {
  return `step-${replyUuid}`;
}

/** The user id that all records show. The real user of a request is the user of its key. */
export const shownUserId = `user-00000000-0000-4000-8000-000000000000`;
export const shownOrganizationId = `org-00000000-0000-4000-8000-000000000000`;
