// The way to a message in one of the runtime's conversations, for node memories whose nodes have a part in some turns only.
// Invariant: a conversation or a message that is not the runtime's is no error: an application may have ids of its own.
import { RequestError } from "../../errors.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { pagesBackwards } from "../pages-backwards.ts";

export interface LineageRequest {
  readonly through: string;
  /** What is looked for on the way: when all of it was passed, nothing more is read. */
  readonly wanted: ReadonlySet<string>;
}

/** The ids on the way to the message, it included, oldest first; null when it is not known. */
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
      newestFirst.push(...page.map(({ id }) => id).reverse());
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
