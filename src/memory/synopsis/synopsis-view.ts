// A synopsis as it stands in the prompt, and how it is fitted into its tokens.
// Invariant: pure; no text in it can end its frame or pose as another; nothing in it changes while the synopsis does not.
import type { SynopsisContents, SynopsisPart } from "../synopsis-store.ts";

/** A part that was made, and when. */
export type DatedPart<Part extends SynopsisPart> = { readonly content: SynopsisContents[Part]; readonly madeAt: Date };

export interface SynopsisDeps {
  readonly identity: DatedPart<"identity"> | null;
  readonly context: DatedPart<"context"> | null;
}

/** Null when there is nothing to tell. */
export function renderSynopsis({ identity, context }: SynopsisDeps): string | null {
  const lines = [
    ...(identity === null ? [] : identityLines(identity.content)),
    ...(context === null ? [] : contextLines(context)),
  ];
  if (lines.length === 0) return null;
  return `<synopsis>\n${[introduction, ...lines].join("\n").replaceAll("<", "&lt;")}\n</synopsis>`;
}

const introduction =
  "What archival memory holds of the user, in short, as a model wrote it. What core memory and messages say holds in its place.";

function identityLines({ name, preferences, traits }: SynopsisContents["identity"]): readonly string[] {
  return [...line("Name", name === null ? [] : [name]), ...line("Preferences", preferences), ...line("Traits", traits)];
}

function contextLines({ content, madeAt }: DatedPart<"context">): readonly string[] {
  const day = madeAt.toISOString().slice(0, 10);
  return [
    ...line(`Recent topics, as of ${day}`, content.recentTopics),
    ...line(`Current goals, as of ${day}`, content.currentGoals),
  ];
}

function line(label: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${label}: ${items.join("; ")}`];
}

/** Tokens that a part may take in the prompt: together at most the 1,000 that MUXI's documentation gives a synopsis. */
export const partTokens = 480;

/** The part without the last items of its longest lists, until it keeps to its tokens. */
export function fitPart<Part extends SynopsisPart>(
  part: Part,
  content: SynopsisContents[Part],
  { madeAt, count }: { readonly madeAt: Date; readonly count: (text: string) => number },
): { readonly content: SynopsisContents[Part]; readonly tokens: number } {
  let fitted = content;
  for (;;) {
    const parts = { identity: null, context: null, [part]: { content: fitted, madeAt } };
    const text = renderSynopsis(parts);
    const tokens = text === null ? 0 : count(text);
    const shorter = tokens <= partTokens ? null : withoutAnItem(fitted);
    if (shorter === null) return { content: fitted, tokens };
    fitted = shorter;
  }
}

/** Null when no list has any. */
function withoutAnItem<Content extends object>(content: Content): Content | null {
  const lists = Object.entries(content).filter((entry): entry is [string, readonly string[]] =>
    Array.isArray(entry[1]),
  );
  const [longest] = lists.toSorted(([, one], [, other]) => other.length - one.length);
  if (longest === undefined || longest[1].length === 0) return null;
  return { ...content, [longest[0]]: longest[1].slice(0, -1) };
}
