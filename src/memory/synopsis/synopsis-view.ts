// Renders a synopsis for the prompt, and fits it into its token limit.
// Invariant: pure; no text in it can close its tag or imitate another; the rendering changes only with the synopsis.
import type { SynopsisContents, SynopsisPart } from "../../store/port/synopsis-store.ts";

/** A generated part with its time. */
export type DatedPart<Part extends SynopsisPart> = { readonly content: SynopsisContents[Part]; readonly at: Date };

export interface SynopsisDeps {
  readonly identity: DatedPart<"identity"> | null;
  readonly context: DatedPart<"context"> | null;
}

/** Returns null if both parts are empty. */
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

/** Tokens of each part in the prompt: together within the 1,000 that MUXI's documentation gives a synopsis. */
export const partTokens = 480;

/** Drops the last items of the longest lists until the part fits its tokens. */
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

/** Returns null if all lists are empty. */
function withOneItemLess<Content extends object>(content: Content): Content | null {
  const lists = Object.entries(content).filter((entry): entry is [string, readonly string[]] =>
    Array.isArray(entry[1]),
  );
  const [longest] = lists.toSorted(([, one], [, other]) => other.length - one.length);
  if (longest === undefined || longest[1].length === 0) return null;
  return { ...content, [longest[0]]: longest[1].slice(0, -1) };
}
