// Converts a node memory to JSON (format version 1) and to bytes (UTF-8, compressed with gzip above a size), and back. The
// format is Dify's (NodeTokenBufferMemory).
// Invariant: input is validated completely and must contain nothing unknown, so that writing it back loses nothing; a reader
// recognizes compression without a setting (JSON begins with a brace, gzip with the bytes 1f 8b: RFC 1952, 2.3.1). Each part
// of a key is one plain word, so no two nodes share a key.
import { gunzip, gzip } from "node:zlib";
import * as z from "zod";
import { RequestError } from "../../base/errors.ts";
import type { NodeKey } from "../../store/port/node-memory-store.ts";

const fileReference = z
  .strictObject({
    type: z.enum(["image", "audio", "video", "document", "custom"]),
    transfer_method: z.enum(["local_file", "remote_url", "tool_file"]),
    upload_file_id: z.string().nullish(),
    tool_file_id: z.string().nullish(),
    url: z.string().nullish(),
    belongs_to: z.enum(["user", "assistant"]),
  })
  .refine((file) => typeof file[idField[file.transfer_method]] === "string", {
    error: "expected the id or the URL that its `transfer_method` requires",
  });

/** The field that holds a file's location, by transfer method. */
const idField = { local_file: "upload_file_id", remote_url: "url", tool_file: "tool_file_id" } as const;

const nodeMessage = z.strictObject({
  message_id: z.string().min(1),
  parent_message_id: z.string().min(1).nullable(),
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  files: z.array(fileReference),
  token_count: z.int().min(0),
  created_at: z.iso.datetime({ offset: true }),
});

const nodeMemory = z.strictObject({ version: z.literal(1), messages: z.array(nodeMessage) });

/** A reference to a file; the file's other properties are looked up when the reference is read. */
export type NodeFile = Readonly<z.infer<typeof fileReference>>;

/** One message, with the field names of the JSON. */
export type NodeMessage = Readonly<Omit<z.infer<typeof nodeMessage>, "files">> & {
  readonly files: readonly NodeFile[];
};

/** Returns the location of a file's content: an attachment's id, or a URL. */
export function fileAddress(file: NodeFile): string {
  return file[idField[file.transfer_method]]!;
}

/** Returns the JSON of a node memory, without a trailing newline. */
export function nodeJson(messages: readonly NodeMessage[]): string {
  return JSON.stringify({ version: 1, messages });
}

/**
 * Returns the messages of a node memory. Throws RequestError `node_memory_invalid`, which names the key, for text that is not a
 * node memory of version 1.
 */
export function parseNodeJson(text: string, key: string): readonly NodeMessage[] {
  const json = parseJson(text, key);
  const version: unknown = typeof json === "object" && json !== null && "version" in json ? json.version : undefined;
  if (typeof version === "number" && version > 1) {
    throw invalidNode(key, `a newer version of Palimpsest wrote it (format ${version}; this version reads format 1)`);
  }
  const parsed = nodeMemory.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : ` at \`${issue.path.join(".")}\``;
    throw invalidNode(key, `its JSON has the wrong form${place} (${issue?.message ?? "unknown"})`);
  }
  const { messages } = parsed.data;
  if (new Set(messages.map((message) => message.message_id)).size < messages.length) {
    throw invalidNode(key, "it contains a `message_id` twice");
  }
  return messages;
}

export function invalidNode(key: string, what: string, cause?: unknown): RequestError {
  return new RequestError(
    "node_memory_invalid",
    `The node memory ${key} cannot be read: ${what}. It was not changed. Repair the stored object, or delete the memory with \`clear()\`.`,
    { cause },
  );
}

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error is not passed on, because it quotes the text, which is a private conversation.
    throw invalidNode(key, `it is not JSON, but a text of ${text.length} UTF-16 units`);
  }
}

/** Default threshold for compression, in bytes of JSON. */
export const compressedAbove = 65_536;

/** Limit for decompressed JSON in bytes: gzip can expand a damaged or malicious object a thousandfold. */
const maxBytes = 268_435_456;

export async function nodeBytes(messages: readonly NodeMessage[], above: number): Promise<Uint8Array> {
  const bytes = Buffer.from(nodeJson(messages), "utf8");
  if (bytes.length <= above) return bytes;
  return new Promise((resolve, reject) => {
    gzip(bytes, (error, packed) => (error === null ? resolve(packed) : reject(error)));
  });
}

/**
 * Returns the messages of a stored node memory, compressed or not. Throws RequestError `node_memory_invalid`, which names the
 * key.
 */
export async function readNodeBytes(bytes: Uint8Array, key: string): Promise<readonly NodeMessage[]> {
  const json = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unpacked(bytes, key) : bytes;
  return parseNodeJson(textOf(json, key), key);
}

function unpacked(bytes: Uint8Array, key: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: maxBytes }, (error, json) =>
      error === null ? resolve(json) : reject(invalidNode(key, "its gzip data is damaged or too large", error)),
    );
  });
}

function textOf(bytes: Uint8Array, key: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidNode(key, "it is not UTF-8", cause);
  }
}

const maxLength = 64;
const partForm = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*$/u;

/** Returns a copy with the key's parts only. Throws RequestError `input_invalid` for the first part that a key cannot have. */
export function requireNodeKey({ app, conversation, node }: NodeKey): NodeKey {
  const key = { app, conversation, node };
  for (const [name, part] of Object.entries(key)) {
    if (typeof part === "string" && part.length <= maxLength && partForm.test(part)) continue;
    throw new RequestError(
      "input_invalid",
      `Expected \`${name}\` of a node memory to be 1 to ${maxLength} letters, digits, "_", "-" and ".", not starting with ".", ` +
        `got ${shown(part)}.`,
    );
  }
  return key;
}

/** Returns the key in Dify's format: `node_memory/{app}/{conversation}/{node}.json`. */
export function nodeKeyText({ app, conversation, node }: NodeKey): string {
  return `node_memory/${app}/${conversation}/${node}.json`;
}

function shown(part: unknown): string {
  if (typeof part !== "string") return typeof part;
  return JSON.stringify(part.length <= maxLength ? part : `${part.slice(0, maxLength)}…`);
}
