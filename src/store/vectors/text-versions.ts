// The version of texts that are read to be embedded.
import type { TextVersion } from "../port/embedder-store.ts";

/** A row whose number of forgettings is null before the first. */
export type UnversionedRow<Row> = Omit<Row, "forgettings"> & { readonly forgettings: number | null };

export function versioned<Row extends object>(
  rows: readonly (Row & { readonly forgettings: number | null })[],
): readonly (Omit<Row, "forgettings"> & TextVersion)[] {
  return rows.map(({ forgettings, ...row }) => (forgettings === null ? row : { ...row, forgettings }));
}
