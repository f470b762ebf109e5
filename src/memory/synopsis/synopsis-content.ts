// Parses the two parts of a synopsis from a model's answer and from the store.
// Invariant: pure; the result fits the structure, contains no control characters, and keeps the length limits, or is
// null.
import * as z from "zod";
import { takeCodePoints } from "../../base/code-points.ts";
import { stripControl } from "../../base/terminal-text.ts";
import type { SynopsisContents, SynopsisPart } from "../../store/port/synopsis-store.ts";

/** Maximum items in a list, and code points per item. */
const maxItems = 12;
const maxItemLength = 160;
/** UTF-16 units of an item that are read before it is cut. */
const examined = 4000;

const list = z.array(z.string()).transform(tidyList);
const shapes: { readonly [Part in SynopsisPart]: z.ZodType<SynopsisContents[Part]> } = {
  identity: z.object({
    name: z
      .string()
      .nullable()
      .transform((name) => (name === null || tidy(name) === "" ? null : tidy(name))),
    preferences: list,
    traits: list,
  }),
  context: z.object({ recentTopics: list, currentGoals: list }),
};

/** Returns null if the JSON does not have the part's structure. */
export function readSynopsisPart<Part extends SynopsisPart>(part: Part, json: unknown): SynopsisContents[Part] | null {
  return shapes[part].safeParse(json).data ?? null;
}

/** Returns the JSON Schema of an object with these parts, as a model has to write it. */
export function synopsisSchema(parts: readonly SynopsisPart[]): Readonly<Record<string, unknown>> {
  const wanted = z.object(Object.fromEntries(parts.map((part) => [part, shapes[part]])));
  const { $schema: _dialect, ...schema } = z.toJSONSchema(wanted, { io: "input" });
  return schema;
}

function tidyList(items: readonly string[]): readonly string[] {
  return [...new Set(items.map(tidy))].filter((item) => item !== "").slice(0, maxItems);
}

/** Puts the text on one line. */
function tidy(text: string): string {
  const words = stripControl(text.slice(0, examined)).toWellFormed().split(/\s/u);
  return takeCodePoints(words.filter((word) => word !== "").join(" "), maxItemLength).trimEnd();
}
