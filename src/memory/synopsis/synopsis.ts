// The synopsis of a user: parses its two parts from a model's answer and from the store, decides which parts are shown and
// which are due for regeneration, and renders them for the prompt within a token limit.
// Invariant: pure; content that does not fit the structure counts as missing, and contains no control characters; a part is
// shown with the ids of the passages it was made from, so that a deletion finds the part; no text can imitate a tag.
import * as z from "zod";
import { takeCodePoints } from "../../base/code-points.ts";
import { lowestTrust } from "../../base/message/message.ts";
import { stripControl } from "../../base/terminal-text.ts";
import type { AgentSettings, SynopsisSnapshot } from "../../store/port/records.ts";
import {
  type SynopsisContents,
  type SynopsisPart,
  synopsisParts,
  type SynopsisRecord,
  type SynopsisState,
} from "../../store/port/synopsis-store.ts";

/** A generated part with its time. */
export type DatedPart<Part extends SynopsisPart> = { readonly content: SynopsisContents[Part]; readonly at: Date };

export interface SynopsisDeps {
  readonly identity: DatedPart<"identity"> | null;
  readonly context: DatedPart<"context"> | null;
}

/** Returns the synopsis as text for the prompt; null if both parts are empty. */
export function renderSynopsis({ identity, context }: SynopsisDeps): string | null {
  const lines = [
    ...(identity === null ? [] : identityLines(identity.content)),
    ...(context === null ? [] : contextLines(context)),
  ];
  if (lines.length === 0) return null;
  return `<synopsis>\n${[introduction, ...lines].join("\n").replaceAll("<", "&lt;")}\n</synopsis>`;
}

const introduction =
  "What archival memory says about the user, summarized by a model. Where core memory or messages disagree, they are right.";

function identityLines({ name, preferences, traits }: SynopsisContents["identity"]): readonly string[] {
  return [...line("Name", name === null ? [] : [name]), ...line("Preferences", preferences), ...line("Traits", traits)];
}

function contextLines({ content, at }: DatedPart<"context">): readonly string[] {
  const day = at.toISOString().slice(0, 10);
  return [
    ...line(`Recent topics, as of ${day}`, content.recentTopics),
    ...line(`Current goals, as of ${day}`, content.currentGoals),
  ];
}

function line(label: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${label}: ${items.join("; ")}`];
}

/** Maximum tokens of each part in the prompt: both parts are within the 1,000 tokens of a synopsis in MUXI. */
export const partTokens = 480;

/** Shortens the longest lists of a part until it fits into `partTokens`. Returns the part and its number of tokens. */
export function fitPart<Part extends SynopsisPart>(
  part: Part,
  content: SynopsisContents[Part],
  { at, count }: { readonly at: Date; readonly count: (text: string) => number },
): { readonly content: SynopsisContents[Part]; readonly tokens: number } {
  let fitted = content;
  for (;;) {
    const parts = { identity: null, context: null, [part]: { content: fitted, at } };
    const text = renderSynopsis(parts);
    const tokens = text === null ? 0 : count(text);
    const shorter = tokens <= partTokens ? null : withOneItemLess(fitted);
    if (shorter === null) return { content: fitted, tokens };
    fitted = shorter;
  }
}

/** Returns the content without the last item of its longest list; null if all lists are empty. */
function withOneItemLess<Content extends object>(content: Content): Content | null {
  const lists = Object.entries(content).filter((entry): entry is [string, readonly string[]] =>
    Array.isArray(entry[1]),
  );
  const [longest] = lists.toSorted(([, one], [, other]) => other.length - one.length);
  if (longest === undefined || longest[1].length === 0) return null;
  return { ...content, [longest[0]]: longest[1].slice(0, -1) };
}

/**
 * Returns the synopsis for prompts from now on; null if there is nothing to show. With automatic refresh, an expired part is
 * shown while it is regenerated.
 */
export function shownSynopsis(
  states: readonly SynopsisState[],
  { synopsis, synopsisRefresh }: Pick<AgentSettings, "synopsis" | "synopsisRefresh">,
  now: Date,
): SynopsisSnapshot | null {
  if (synopsis === "off") return null;
  const records = validRecords(states).filter((one) => synopsisRefresh === "on-access" || one.expiresAt > now);
  const text = renderSynopsis(partsOf(records));
  if (text === null) return null;
  const passages = [...new Set(records.flatMap((record) => record.passages))];
  return { text, passages, trust: lowestTrust(["model", ...records.map(({ trust }) => trust)]) };
}

/** Returns the parts that are missing or expired. */
export function dueParts(states: readonly SynopsisState[], now: Date): readonly SynopsisPart[] {
  const records = validRecords(states);
  return synopsisParts.filter((part) => !records.some((record) => record.part === part && record.expiresAt > now));
}

/** Returns the stored parts that can be read. */
export function validRecords(states: readonly SynopsisState[]): readonly SynopsisRecord[] {
  return states.flatMap(({ part, made }) =>
    made !== null && readSynopsisPart(part, made.content) !== null ? [made] : [],
  );
}

export function partsOf(records: readonly SynopsisRecord[]): SynopsisDeps {
  return { identity: datedPart(records, "identity"), context: datedPart(records, "context") };
}

function datedPart<Part extends SynopsisPart>(records: readonly SynopsisRecord[], part: Part): DatedPart<Part> | null {
  const record = records.find((one) => one.part === part);
  const content = record === undefined ? null : readSynopsisPart(part, record.content);
  return record === undefined || content === null ? null : { content, at: record.at };
}

/** Maximum items in a list, and code points per item. */
const maxItems = 12;
const maxItemLength = 160;
/** UTF-16 units of an item that are read before it is cut. */
const examined = 4000;

const list = z
  .array(z.string())
  .transform((items) => [...new Set(items.map(tidy))].filter((item) => item !== "").slice(0, maxItems));
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

/** Returns a part's content; null if the JSON does not have the part's structure. */
export function readSynopsisPart<Part extends SynopsisPart>(part: Part, json: unknown): SynopsisContents[Part] | null {
  return shapes[part].safeParse(json).data ?? null;
}

/** Returns the JSON Schema of an object with these parts, for a model that writes it. */
export function synopsisSchema(parts: readonly SynopsisPart[]): Readonly<Record<string, unknown>> {
  const wanted = z.object(Object.fromEntries(parts.map((part) => [part, shapes[part]])));
  const { $schema: _dialect, ...schema } = z.toJSONSchema(wanted, { io: "input" });
  return schema;
}

/** Returns a text on one line, without control characters and cut to the maximum length. */
function tidy(text: string): string {
  const words = stripControl(text.slice(0, examined)).toWellFormed().split(/\s/u);
  return takeCodePoints(words.filter((word) => word !== "").join(" "), maxItemLength).trimEnd();
}
