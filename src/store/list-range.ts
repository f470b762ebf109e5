// Converts a range of a list to the parameters of its statement: keys between two rows, from one end.
// Invariant: an id that is not a UUID selects nothing, as an unknown one does.
import type { ListRange } from "./port/page.ts";
import { isUuid } from "./uuid.ts";

export interface KeysetRange {
  /** The ids of rows that the others are newer and older than; null: no bound. */
  readonly newerThan: string | null;
  readonly olderThan: string | null;
  /** From which end the statement reads. */
  readonly direction: "asc" | "desc";
  /** Puts the rows that the statement returned in the order of the list. */
  readonly inOrder: <Row>(rows: readonly Row[]) => readonly Row[];
}

/** The rows ahead of one are read from there backwards. */
export function keysetOf({ order, after, before }: Omit<ListRange, "limit">): KeysetRange {
  const isReversed = before !== undefined && after === undefined;
  const isNewestFirst = order === "newest";
  const [newerThan, olderThan] = isNewestFirst ? [before, after] : [after, before];
  return {
    newerThan: cursorOf(newerThan),
    olderThan: cursorOf(olderThan),
    direction: isNewestFirst === isReversed ? "asc" : "desc",
    inOrder: (rows) => (isReversed ? rows.toReversed() : rows),
  };
}

/** No row has it. */
const noId = "00000000-0000-0000-0000-000000000000";

function cursorOf(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isUuid(id) ? id : noId;
}
