// Reads the sections `memory` and `llm` of a configuration file, and returns which settings they set.
// Invariant: pure; an unknown key is an error that suggests the nearest known key, and no message contains a secret.
import { nearestName } from "../base/nearest-name.ts";
import { ConfigError } from "../base/errors.ts";
import { describeValue } from "./describe-value.ts";
import { type Assignment, multiplierIn, type NestedKey, nestedKeys, sections, sizeIn } from "./nested-keys.ts";
import type { Resolved } from "./references.ts";
import { maxInteger } from "./settings/forms.ts";

/** An assignment of a setting, with the nested key that caused it, as the user wrote the key. */
export interface NestedAssignment extends Assignment {
  readonly key: string;
  readonly isSecret: boolean;
}

export interface SectionsContext extends Pick<Resolved, "secretPlaces" | "referencePlaces"> {
  /** The path of the configuration file, as messages name it. */
  readonly where: string;
}

export const topSections = ["memory", "llm"] as const;

/**
 * Returns the assignments that all sections cause. A null value counts as absent. Throws ConfigError for the first unknown
 * or invalid key.
 */
export function readSections(
  content: Readonly<Record<string, unknown>>,
  context: SectionsContext,
): readonly NestedAssignment[] {
  const entries = topSections.flatMap((top) => entriesOf(content[top], { place: top, table: top }, context));
  const values = new Map<string, unknown>();
  for (const entry of entries) {
    if (isKey(entry) && values.has(entry.table)) {
      throw new ConfigError(
        `${context.where}: ${entry.place}: expected this key once, got it twice. Remove one of them.`,
      );
    }
    values.set(entry.table, isKey(entry) ? checked(entry, context) : entry.value);
  }
  checkTogether(values, context.where);
  return entries.flatMap(({ place, table, value }) => {
    const from = { key: place, isSecret: nestedKeys[table]?.isSecret === true || context.secretPlaces.has(place) };
    const assigned =
      sections[table]?.sets(value !== false, values) ?? nestedKeys[table]?.sets(values.get(table), values) ?? [];
    return assigned.map((assignment) => ({ ...assignment, ...from }));
  });
}

/** A key or section in a configuration file. `place`: its path in the file; `table`: its path in `nestedKeys` or `sections`. */
interface Entry extends KeyPath {
  readonly value: unknown;
}

interface KeyPath {
  readonly place: string;
  readonly table: string;
}

function isKey({ table }: Entry): boolean {
  return Object.hasOwn(nestedKeys, table);
}

const known = [...Object.keys(nestedKeys), ...Object.keys(sections)];

function entriesOf(value: unknown, at: KeyPath, context: SectionsContext): readonly Entry[] {
  if (value === null || value === undefined) return [];
  if (Object.hasOwn(nestedKeys, at.table)) return [{ ...at, value }];
  const own = Object.hasOwn(sections, at.table) ? [{ ...at, value }] : [];
  if (typeof value === "boolean" && sections[at.table]?.hasSwitch === true) return own;
  if (known.some((key) => key.startsWith(`${at.table}[]`))) return [...own, ...listEntries(value, at, context)];
  if (typeof value !== "object" || Array.isArray(value)) throw notASection(value, at, context);
  const nested = Object.entries(value).flatMap(([key, one]) => {
    const below = { place: `${at.place}.${key}`, table: `${at.table}.${key}` };
    if (!isKnownKey(below.table)) throw unknownKey(below, context.where);
    return entriesOf(one, below, context);
  });
  return [...own, ...nested];
}

function listEntries(value: unknown, at: KeyPath, context: SectionsContext): readonly Entry[] {
  if (!Array.isArray(value)) {
    throw new ConfigError(
      `${context.where}: ${at.place}: expected a list such as [{"embedding": "local/use-lite"}], got ${shown(value, at, context)}.`,
    );
  }
  return value.flatMap((one, index) =>
    entriesOf(one, { place: `${at.place}[${index}]`, table: `${at.table}[]` }, context),
  );
}

/** Returns whether a known key has this path, or is below it. */
function isKnownKey(table: string): boolean {
  return known.some((key) => key === table || key.startsWith(`${table}.`) || key.startsWith(`${table}[`));
}

function unknownKey({ place, table }: KeyPath, where: string): ConfigError {
  const siblings = childrenOf(table.slice(0, table.lastIndexOf(".")));
  const typed = place.slice(place.lastIndexOf(".") + 1);
  const near = nearestName(typed, siblings);
  const above = place.slice(0, place.lastIndexOf("."));
  const hint = near === undefined ? `Known keys: ${siblings.join(", ")}.` : `Did you mean "${above}.${near}"?`;
  return new ConfigError(`${where}: unknown key ${describeValue(place)}. ${hint}`);
}

function childrenOf(parent: string): readonly string[] {
  const below = known.filter((key) => key.startsWith(`${parent}.`)).map((key) => key.slice(parent.length + 1));
  return [...new Set(below.map((key) => /^[^.[]*/u.exec(key)?.[0] ?? ""))];
}

function notASection(value: unknown, at: KeyPath, context: SectionsContext): ConfigError {
  const orSwitch = sections[at.table]?.hasSwitch === true ? ", or true or false" : "";
  return new ConfigError(
    `${context.where}: ${at.place}: expected a section with ${childrenOf(at.table).join(", ")}${orSwitch}, got ${shown(value, at, context)}.`,
  );
}

/** Returns the validated value. If the whole text was one reference, the value may also be a number or a boolean. */
function checked({ place, table, value }: Entry, context: SectionsContext): unknown {
  const rule = nestedKeys[table] as NestedKey;
  if (table === "memory.persistent.provider" && value === "sqlite") throw noSqlite(place, context.where);
  const read = context.referencePlaces.has(place) ? typed(value) : value;
  const form = rule.form();
  const parsed = [value, read].map((one) => form.safeParse(one)).find(({ success }) => success);
  if (parsed?.success === true) return parsed.data;
  const got = rule.isSecret === true ? "something else (not shown)" : shown(value, { place }, context);
  throw new ConfigError(`${context.where}: ${place}: expected ${rule.expected}, got ${got}.`);
}

function typed(value: unknown): unknown {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && /^\d{1,15}(?:\.\d{1,15})?$/u.test(value) ? Number(value) : value;
}

function shown(value: unknown, { place }: Pick<KeyPath, "place">, { secretPlaces }: SectionsContext): string {
  const isSecret = [...secretPlaces].some((secret) => secret.startsWith(place));
  return isSecret ? "something else (not shown)" : describeValue(value);
}

function noSqlite(place: string, where: string): ConfigError {
  return new ConfigError(
    `${where}: ${place}: expected "postgresql" or "embedded", got "sqlite", which is not supported. Use "embedded": PostgreSQL in the data folder, without a server.`,
  );
}

/** Throws ConfigError if keys contradict each other. */
function checkTogether(values: ReadonlyMap<string, unknown>, where: string): void {
  const [size, multiplier] = [sizeIn(values), multiplierIn(values)];
  if (size * multiplier > maxInteger) {
    throw new ConfigError(
      `${where}: memory.buffer.multiplier: expected size × multiplier to be at most ${maxInteger}, got ${size} × ${multiplier}.`,
    );
  }
  if (values.get("memory.persistent.provider") === "embedded" && values.has("memory.persistent.connection_string")) {
    throw new ConfigError(
      `${where}: memory.persistent.provider is "embedded", which has no server, but memory.persistent.connection_string names one. Remove one of them.`,
    );
  }
}
