// Removes secrets from texts before they are shown.
// Invariant: secrets are replaced in their plain, URL-encoded and JSON forms, and no other text is replaced.

export interface HiddenTexts {
  add(secrets: Iterable<string>): void;
  /** Returns the text with every secret replaced by `(hidden)`. */
  hide(text: string): string;
}

/** Minimum UTF-16 units of a secret that is hidden: the characters of a shorter one also occur in ordinary words. */
const minLength = 4;

export function createHiddenTexts(): HiddenTexts {
  let known: readonly string[] = [];
  return {
    add(secrets) {
      const forms = [...secrets].flatMap((secret) => formsOf(secret)).filter(({ length }) => length >= minLength);
      // The longest secret is replaced first, because it may contain another secret.
      known = [...new Set([...known, ...forms])].sort((one, other) => other.length - one.length);
    },
    hide: (text) => known.reduce((shown, secret) => shown.replaceAll(secret, "(hidden)"), text),
  };
}

function formsOf(secret: string): readonly string[] {
  const password = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^:/@]{0,500}:(.{1,5000})@/su.exec(secret)?.[1] ?? null;
  const parts = password === null ? [secret] : [secret, password, decoded(password)];
  return parts.flatMap((part) => [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The password is not URL-encoded: it contains a % that begins no escape.
    return text;
  }
}
