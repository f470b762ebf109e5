// Filters from the terminal's input the key sequences that Ink does not know.
// Invariant: all other input passes unchanged. (Ink 6.8 throws on Ctrl with a function key, because its name is undefined.)
import { type Background, createBackgroundFilter } from "./background-answer.ts";

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const sequence = /\u001b(?:\[[<>=?]?([\d;:]*)([A-Za-z~^$])|O\d+[A-Za-z])/gu;
/** Arrows, End, Home, back-tab, and the keyboard protocol that distinguishes Shift+Enter. */
const knownFinals = new Set("ABCDFHZu");
/** Numbers of the keys that end in `~`: Home to Page Down, and the marks of a paste. */
const knownNumbers = new Set(["1", "2", "3", "4", "5", "6", "7", "8", "200", "201"]);

/** Esc in the keyboard protocol, where it is not a prefix of other keys. */
const escapeKey = "\u001b[27u";

/** Removes unknown key sequences from a terminal's input. */
export function dropUnknownKeys(chunk: string): string {
  // Ink reads two Esc as one.
  if (chunk === "\u001b\u001b") return escapeKey.repeat(2);
  return chunk.replaceAll(sequence, (whole: string, numbers: string | undefined, final: string | undefined) => {
    if (final === undefined || numbers === undefined) return "";
    if (whole.endsWith(";13~")) return whole;
    const isKnown = knownFinals.has(final) || (final === "~" && knownNumbers.has(numbers.split(";")[0] ?? ""));
    return isKnown ? whole : "";
  });
}

/** Returns a proxy of the stream whose `read` omits unknown keys and answers of the terminal. */
export function createKeyStream(
  stdin: NodeJS.ReadStream,
  onBackground: (background: Background) => void,
): NodeJS.ReadStream {
  const withoutAnswers = createBackgroundFilter(onBackground);
  const read = (): string | Buffer | null => {
    const chunk: unknown = stdin.read();
    return typeof chunk === "string" ? dropUnknownKeys(withoutAnswers(chunk)) : (chunk as Buffer | null);
  };
  return new Proxy(stdin, {
    get(target, property) {
      if (property === "read") return read;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
