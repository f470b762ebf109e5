// Returns the ancestors of a message in a conversation of the runtime, for nodes that take part in only some turns.
// Invariant: an unknown conversation or message is not an error, because an application may have its own ids.
import { appendAll } from "../../../base/lists.ts";
import { RequestError } from "../../../base/errors.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { pagesBackwards } from "../pages-backwards.ts";

export interface LineageRequest {
  readonly through: string;
  /** The ids to look for. Reading stops when all were found. */
  readonly wanted: ReadonlySet<string>;
}

/** Returns the ids of the message and its ancestors, oldest first; null if the message is unknown. */
export async function lineageOf(
  { store }: Pick<OperationDeps, "store">,
  conversation: string,
  { through, wanted }: LineageRequest,
): Promise<readonly string[] | null> {
  const newestFirst: string[] = [];
  if (wanted.size === 0) return newestFirst;
  let missing = wanted.size;
  try {
    for await (const page of pagesBackwards(store.conversations, conversation, through)) {
      appendAll(newestFirst, page.map(({ id }) => id).reverse());
      missing -= page.filter(({ id }) => wanted.has(id)).length;
      if (missing === 0) break;
    }
  } catch (error) {
    if (isUnknown(error)) return null;
    throw error;
  }
  return newestFirst.reverse();
}

function isUnknown(error: unknown): boolean {
  return error instanceof RequestError && ["conversation_not_found", "message_not_found"].includes(error.code);
}
