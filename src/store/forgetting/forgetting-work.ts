// Defines what every part of a forgetting receives: the transaction, the texts to find, and whether to write.
// Invariant: a preview runs the same code as a forgetting and writes nothing, so it shows exactly what would change.
import type { Redactor } from "../../base/redactor.ts";
import type { ForgettableFile, ForgettingRequest } from "../port/forgetting-store.ts";
import type { Transaction } from "../connection/transaction.ts";

export interface ForgettingWork {
  readonly tx: Transaction;
  readonly userId: string;
  readonly request: ForgettingRequest;
  readonly redactor: Redactor;
  /** Ids of the messages that are emptied: those of the request, their copies in forks, and those of `messagesOfOwnTurns`. */
  readonly emptied: ReadonlySet<string>;
  /** The files of the emptied messages. */
  readonly removedFiles: readonly Pick<ForgettableFile, "id" | "name">[];
  /** Ids of the attachments that are removed. */
  readonly attachments: ReadonlySet<string>;
  /** Whether to change rows; false for a preview. */
  readonly writes: boolean;
}

/** SQL that locks the rows that are about to be changed; empty for a preview. */
export function lockFor({ writes }: Pick<ForgettingWork, "writes">): string {
  return writes ? "for update" : "";
}

/** Rows per query. The number is small because one message can have a megabyte. */
const pageSize = 200;

export const lowestId = "00000000-0000-0000-0000-000000000000";

/** Yields rows in the order of their ids. `statement`: $1 user, $2 the last id that was read, $3 maximum rows. */
export async function* pagesById<Row extends { readonly id: string }>(
  { tx, userId }: Pick<ForgettingWork, "tx" | "userId">,
  statement: string,
): AsyncGenerator<readonly Row[], void> {
  let last = lowestId;
  for (;;) {
    const rows = await tx.run<Row>(statement, [userId, last, pageSize]);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1)!.id;
  }
}
