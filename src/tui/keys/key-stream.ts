// The terminal's input without the sequences of keys that Ink does not know.
// Invariant: all else passes unchanged. (Ink 6.8 throws on a Ctrl with a function key: its name is undefined there.)

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const sequence = /\u001b(?:\[[<>=?]?([\d;:]*)([A-Za-z~^$])|O\d+[A-Za-z])/gu;
/** Arrows, End, Home, back-tab, and the keyboard protocol that tells Shift+Enter apart. */
const knownFinals = new Set("ABCDFHZu");
/** Keys that end in `~` by number: Home to Page Down, and the marks of a paste. */
const knownNumbers = new Set(["1", "2", "3", "4", "5", "6", "7", "8", "200", "201"]);

/** Esc as the keyboard protocol has it, in which nothing can follow it. */
const escapeKey = "\u001b[27u";

/** Takes unknown key sequences out of what a terminal sent. */
export function dropUnknownKeys(chunk: string): string {
  // Ink takes two for one.
  if (chunk === "\u001b\u001b") return escapeKey.repeat(2);
  return chunk.replaceAll(sequence, (whole: string, numbers: string | undefined, final: string | undefined) => {
    if (final === undefined || numbers === undefined) return "";
    if (whole.endsWith(";13~")) return whole;
    const isKnown = knownFinals.has(final) || (final === "~" && knownNumbers.has(numbers.split(";")[0] ?? ""));
    return isKnown ? whole : "";
  });
}

/** The same stream, whose `read` leaves unknown keys out. */
export function createKeyStream(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const read = (): string | Buffer | null => {
    const chunk: unknown = stdin.read();
    return typeof chunk === "string" ? dropUnknownKeys(chunk) : (chunk as Buffer | null);
  };
  return new Proxy(stdin, {
    get(target, property) {
      if (property === "read") return read;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
