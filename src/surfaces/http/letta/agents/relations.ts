// Which related objects an answer about agents contains.
// Invariant: clients of version 1 get only what they ask for in lists and reads; older ones, and every change, get all.
import * as z from "zod";
import { queryTexts } from "../page-query.ts";

export type Relation = "blocks" | "tools" | "tags" | "sources" | "identities";

const all: ReadonlySet<Relation> = new Set(["blocks", "tools", "tags", "sources", "identities"]);

/** The names of older clients. */
const olderNames: Readonly<Record<string, Relation>> = { memory: "blocks" };

export const includeQuery = z.object({
  include: queryTexts.optional(),
  include_relationships: queryTexts.optional(),
});

export const everyRelation = all;

/** Returns whether a request comes from a client of version 1. */
export function isNewClient(headers: Headers): boolean {
  return (headers.get("x-stainless-package-version") ?? "").startsWith("1.");
}

export function relationsOf(
  { include, include_relationships: older }: z.output<typeof includeQuery>,
  headers: Headers,
): ReadonlySet<Relation> {
  if (include !== undefined) return wanted(include.map((name) => name.replace(/^agent\./u, "")));
  if (older !== undefined) return wanted(older.map((name) => olderNames[name] ?? name));
  return isNewClient(headers) ? new Set() : all;
}

function wanted(names: readonly string[]): ReadonlySet<Relation> {
  return new Set([...all].filter((relation) => names.includes(relation)));
}
