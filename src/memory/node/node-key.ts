// Builds the key of a node memory's object from its parts.
// Invariant: each part is one plain word, so no key escapes its folder, and no two nodes share one.
import { RequestError } from "../../base/errors.ts";
import type { NodeKey } from "../../store/port/node-memory-store.ts";

const maxLength = 64;
const partForm = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*$/u;

/** Throws RequestError `input_invalid` for the first part that is not allowed in a key. */
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

/** The key in Dify's format: `node_memory/{app}/{conversation}/{node}.json`. */
export function nodeKeyText({ app, conversation, node }: NodeKey): string {
  return `node_memory/${app}/${conversation}/${node}.json`;
}

function shown(part: unknown): string {
  if (typeof part !== "string") return typeof part;
  return JSON.stringify(part.length <= maxLength ? part : `${part.slice(0, maxLength)}…`);
}
