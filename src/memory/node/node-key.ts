// Which node's memory: its parts, and the key of its object.
// Invariant: each part is one plain word, so no key leads out of its folder, and no two nodes have the same.
import { RequestError } from "../../errors.ts";
import type { NodeKey } from "../node-memory-store.ts";

const maxLength = 64;
const partForm = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*$/u;

/** Throws RequestError `input_invalid` for the first part that cannot stand in a key. */
export function requireNodeKey({ app, conversation, node }: NodeKey): NodeKey {
  const key = { app, conversation, node };
  for (const [name, part] of Object.entries(key)) {
    if (typeof part === "string" && part.length <= maxLength && partForm.test(part)) continue;
    throw new RequestError(
      "input_invalid",
      `Expected \`${name}\` of a node memory to be 1 to ${maxLength} letters, digits, "_", "-" and ".", the first no ".", ` +
        `got ${shown(part)}.`,
    );
  }
  return key;
}

/** As the format has it: `node_memory/{app}/{conversation}/{node}.json`. */
export function nodeKeyText({ app, conversation, node }: NodeKey): string {
  return `node_memory/${app}/${conversation}/${node}.json`;
}

function shown(part: unknown): string {
  if (typeof part !== "string") return typeof part;
  return JSON.stringify(part.length <= maxLength ? part : `${part.slice(0, maxLength)}…`);
}
