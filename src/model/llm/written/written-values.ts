// Reads arguments that a model wrote like a function call: `"Ada"`, `fact="Ada", kind='name'`.
// Invariant: pure; a text that is not a list of values as a whole is not read.

const value =
  /\s*(?:([A-Za-z_]\w*)\s*[=:]\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+]?\d+(?:\.\d+)?|true|false|null)\s*(?:,|$)/sy;

/** Returns the values by name; those without a name get these names in turn. Null for any other text. */
export function parseValues(text: string, names: readonly string[]): Readonly<Record<string, unknown>> | null {
  const values: Record<string, unknown> = {};
  let from = 0;
  for (let place = 0; from < text.length; place += 1) {
    value.lastIndex = from;
    const [whole, name = names[place], written = ""] = value.exec(text) ?? [];
    if (whole === undefined || name === undefined) return null;
    values[name] = valueOf(written);
    from += whole.length;
  }
  return values;
}

function valueOf(written: string): unknown {
  if (written.startsWith('"')) return unescaped(written.slice(1, -1));
  if (written.startsWith("'")) return unescaped(written.slice(1, -1));
  return JSON.parse(written.replace(/^\+/u, ""));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(n|.)/gsu, (_, letter: string) => (letter === "n" ? "\n" : letter));
}
