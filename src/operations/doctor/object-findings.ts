// Objects (the content of files, node memories) compared with the rows that name them, in the database and in the place outside.
// Invariant: an object that is written or deleted meanwhile is not a fault: rows are read before and after the objects are listed.
import type { InspectedStore, NamedObject, ObjectFaults } from "../../memory/inspection.ts";
import type { ObjectsListing } from "../../objects/objects.ts";
import type { Finding } from "../../runtime/doctor.ts";
import { failed, failedBy, ok, warning } from "./finding.ts";

export interface ObjectExamination {
  /** Null: objects are kept in the database. Throws ConfigError for a setting that lacks its keys. */
  readonly openListing: () => ObjectsListing | null;
  /** Also lists objects on another machine. */
  readonly online: boolean;
}

const check = "objects";

/** One finding for the database, and one for each other place that rows name or that is configured. */
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
    return [faultsFinding("the database", faults), ...(await Promise.all(external))];
  } catch (error) {
    return [failedBy(check, error)];
  }
}

function elsewhereFinding(place: string, named: readonly NamedObject[]): Finding {
  return warning(
    check,
    `${requiredOf(named).length} objects in the place "${place}" cannot be compared with their rows: the setting \`objects\` names another place.`,
    "Run `palimpsest doctor` with --objects for that place, too.",
  );
}

interface PlaceExamination {
  readonly listing: ObjectsListing;
  readonly online: boolean;
  readonly before: readonly NamedObject[];
}

async function placeFinding(store: InspectedStore, { listing, online, before }: PlaceExamination): Promise<Finding> {
  const { place } = listing;
  if (listing.isRemote && !online) {
    const found = `${requiredOf(before).length} objects are in the place "${place}"; --online compares them with what is there.`;
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
  const left = `${unreferenced} objects in ${where} are named by no row.`;
  if (missing > 0) {
    const found = `${missing} of ${objects} objects that rows name in ${where} are missing or not whole.`;
    return failed(
      check,
      unreferenced > 0 ? `${found} ${left}` : found,
      "Copy them from a backup of that place, or restore a backup of the database. Models are told that such a file has no content.",
    );
  }
  if (unreferenced === 0)
    return ok(check, `Rows name ${objects} objects in ${where}, and all are there; there are no others.`);
  return warning(check, left, "Nobody can reach them. Make a backup, then delete them there.");
}
