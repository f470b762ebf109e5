// Identifies the prefix to which a thought of Claude's current models is bound: everything before it in the request
// (platform.claude.com, "Preserved thinking": prefix checks). A thought is sent back only after the same prefix, because the
// API otherwise refuses the request.
// Invariant: two requests have the same prefix if and only if the API sees the same system prompt, tools and messages.
import { createHash, type Hash } from "node:crypto";

interface PrefixMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

export interface RequestPrefix {
  add(message: PrefixMessage): void;
  /** Returns a hash that names the prefix so far. */
  name(): string;
}

/** Creates a prefix from the parts of a request before its messages. */
export function createRequestPrefix(start: { readonly system?: unknown; readonly tools?: unknown }): RequestPrefix {
  const hash: Hash = createHash("sha256").update(JSON.stringify([start.system ?? null, start.tools ?? null]));
  return {
    add({ role, content }) {
      const blocks = typeof content === "string" ? content : content.map(withoutBreakpoint);
      hash.update(JSON.stringify([role, blocks]));
    },
    name: () => hash.copy().digest("base64url").slice(0, 22),
  };
}

/** Returns a block without its cache breakpoint: breakpoints move, and are not part of the prefix. */
function withoutBreakpoint(block: { readonly cache_control?: unknown }): object {
  if (block.cache_control === undefined) return block;
  const { cache_control: _moved, ...rest } = block;
  return rest;
}

/** Returns the name of the prefix to which a reply's thoughts are bound: that of the whole request. */
export function prefixOfReply(body: {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly PrefixMessage[];
}): string {
  const prefix = createRequestPrefix(body);
  for (const message of body.messages) prefix.add(message);
  return prefix.name();
}
