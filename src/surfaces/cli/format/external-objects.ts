// Objects outside of the database, as backup and restore report them.
// Invariant: the location is named as in the setting `objects`.
import type { ExternalObjects } from "../runtime-records.ts";

/** "3 objects in the folder (1.2 MB) and 1 object in s3 (0.1 MB)". */
export function externalText(external: readonly ExternalObjects[]): string {
  return external
    .map(({ backend, objects, bytes }) => {
      const counted = `${objects.toLocaleString("en")} ${objects === 1 ? "object" : "objects"}`;
      return `${counted} in "${backend}" (${(bytes / 1_000_000).toFixed(1)} MB)`;
    })
    .join(" and ");
}

export const whereText = "the setting `objects` has its location, and `palimpsest doctor` compares it with the rows.";
