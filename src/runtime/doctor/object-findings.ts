// Compares objects (the content of files, node memories) with the rows that reference them, in the database and
// outside.
// Invariant: an object that is written or deleted during the check is not a fault: rows are read before and after the
// objects are listed.
import { groupBy } from "../../base/lists.ts";
import type { InspectedStore, NamedObject, ObjectFaults } from "../../store/port/inspection.ts";
import type { ObjectsListing } from "../../store/object-storage/objects.ts";
import type { Finding } from "./contract.ts";
import { failed, failedBy, ok, warning } from "./finding.ts";

export interface ObjectExamination {
  /** Returns the listing of objects; null if objects are in the database. Throws ConfigError if the keys for S3 are missing. */
  readonly openListing: () => ObjectsListing | null;
  /** Whether objects on another machine are listed too. */
  readonly online: boolean;
}

const check = "objects";

/** Returns one finding for objects in the database, and one for each other storage that is configured or that rows name. */
export async function objectFindings(
  store: InspectedStore,
  { openListing, online }: ObjectExamination,
): Promise<readonly Finding[]> {
  try {
    const faults = await store.objectFaults();
    const named = await store.externalObjects();
    if (faults === null || named === null) {
      const found = "Rows and objects cannot be compared: this role does not own the tables.";
      return [warning(check, found, "Set PALIMPSEST_MIGRATION_URL to the URL of the tables' owner.")];
    }
    const listing = openListing();
    const places = new Set(named.filter(({ isRequired }) => isRequired).map(({ place }) => place));
    if (listing !== null) places.add(listing.place);
    const external = [...places].map(async (place) => {
      const ofLocation = named.filter((object) => object.place === place);
      return listing?.place === place
        ? placeFinding(store, { listing, online, before: ofLocation })
        : elsewhereFinding(place, ofLocation);
    });
    return [faultsFinding("the database", faults), ...(await Promise.all(external)), ...leftFindings(named)];
  } catch (error) {
    return [failedBy(check, error)];
  }
}

function elsewhereFinding(place: string, named: readonly NamedObject[]): Finding {
  return warning(
    check,
    `${requiredOf(named).length} objects in the place "${place}" cannot be compared with their rows: the setting \`objects\` is another place.`,
    "Also run `palimpsest doctor` with --objects for that place.",
  );
}

/** Maximum number of users in a finding. */
const maxUsers = 5;

/** Returns a finding for each place with objects of users who were deleted. */
function leftFindings(named: readonly NamedObject[]): readonly Finding[] {
  const places = groupBy(
    named.filter(({ isLeft }) => isLeft),
    ({ place }) => place,
  );
  return [...places].map(([place, left]) => {
    const users = [...new Set(left.map(({ userId }) => JSON.stringify(userId)))];
    const others = users.length > maxUsers ? ` and ${users.length - maxUsers} others` : "";
    return warning(
      check,
      `${left.length} objects in the place "${place}" belonged to users who were deleted, and are not deleted yet: ${users.slice(0, maxUsers).join(", ")}${others}.`,
      "A command of that user with --objects for that place deletes the objects: `palimpsest agents list --user NAME`.",
    );
  });
}

interface PlaceExamination {
  readonly listing: ObjectsListing;
  readonly online: boolean;
  readonly before: readonly NamedObject[];
}

async function placeFinding(store: InspectedStore, { listing, online, before }: PlaceExamination): Promise<Finding> {
  const { place } = listing;
  if (listing.isRemote && !online) {
    const found = `Rows reference ${requiredOf(before).length} objects in the place "${place}"; --online checks that they exist.`;
    return ok(check, found);
  }
  const pathOf = ({ userId, key }: NamedObject): string => listing.pathOf(userId, key);
  const listed = new Set(await listing.list());
  const after = ((await store.externalObjects()) ?? []).filter((object) => object.place === place);
  const required = new Set(requiredOf(before).map(pathOf));
  const stillRequired = requiredOf(after)
    .map(pathOf)
    .filter((path) => required.has(path));
  const known = new Set([...before, ...after].map(pathOf));
  return faultsFinding(`the place "${place}"`, {
    objects: stillRequired.length,
    missing: stillRequired.filter((path) => !listed.has(path)).length,
    unreferenced: [...listed].filter((path) => !known.has(path)).length,
  });
}

function requiredOf(named: readonly NamedObject[]): readonly NamedObject[] {
  return named.filter(({ isRequired }) => isRequired);
}

function faultsFinding(where: string, { objects, missing, unreferenced }: ObjectFaults): Finding {
  const left = `${unreferenced} objects in ${where} are referenced by no row.`;
  if (missing > 0) {
    const found = `${missing} of ${objects} objects that rows reference in ${where} are missing or incomplete.`;
    return failed(
      check,
      unreferenced > 0 ? `${found} ${left}` : found,
      "Copy the missing objects from a backup of that place, or restore a backup of the database. Until then, models see a note instead of such a file.",
    );
  }
  if (unreferenced === 0)
    return ok(check, `Rows reference ${objects} objects in ${where}. All of them exist, and there are no others.`);
  return warning(check, left, "Nothing uses these objects. Make a backup, then delete them there.");
}
