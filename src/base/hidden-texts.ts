// Takes secrets out of texts that are about to be shown.
// Invariant: a text is whole again but for the secrets in it; also in the forms that a URL or JSON give them.

export interface HiddenTexts {
  add(secrets: Iterable<string>): void;
  /** The text with `(hidden)` in place of every secret. */
  hide(text: string): string;
}

/** Shorter ones cannot be told from ordinary words: half of a message would go with them. */
const shortest = 4;

export function createHiddenTexts(): HiddenTexts {
  let known: readonly string[] = [];
  return {
    add(secrets) {
      const forms = [...secrets].flatMap((secret) => formsOf(secret)).filter(({ length }) => length >= shortest);
      // Longer ones first: one may be a part of another.
      known = [...new Set([...known, ...forms])].sort((one, other) => other.length - one.length);
    },
    hide: (text) => known.reduce((shown, secret) => shown.replaceAll(secret, "(hidden)"), text),
  };
}

function formsOf(secret: string): readonly string[] {
  const password = passwordOf(secret);
  const parts = password === null ? [secret] : [secret, password, decoded(password)];
  return parts.flatMap((part) => [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)]);
}

/** What stands before the host of a URL, after the user's name. */
function passwordOf(text: string): string | null {
  return /^[a-z][a-z0-9+.-]{0,20}:\/\/[^:/@]{0,500}:(.{1,5000})@/su.exec(text)?.[1] ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is one that stands for itself.
    return text;
  }
}
