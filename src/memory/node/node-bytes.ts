// Encodes a node memory as bytes: its JSON in UTF-8, compressed with gzip above a size.
// Invariant: a reader needs no setting: JSON begins with a brace, and gzip with the bytes 1f 8b (RFC 1952, 2.3.1).
import { gunzip, gzip } from "node:zlib";
import { invalidNode, nodeJson, type NodeMessage, parseNodeJson } from "./node-format.ts";

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

/** Throws RequestError `node_memory_invalid`, which names the key. */
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
