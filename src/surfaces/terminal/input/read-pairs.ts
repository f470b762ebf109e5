// Parses `NAME=VALUE` pairs of a command line, with double quotes around spaces.
// Invariant: pure.

/** Returns the values by name; null if the text contains anything other than pairs. */
export function readPairs(typed: string): Readonly<Record<string, string>> | null {
  const pairs = [...typed.matchAll(/([\w-]{1,64})=(?:"([^"]*)"|(\S*))(?:\s+|$)/gu)];
  const length = pairs.reduce((sum, [whole]) => sum + whole.length, 0);
  if (length !== typed.length) return null;
  return Object.fromEntries(pairs.map(([, key = "", quoted, plain = ""]) => [key, quoted ?? plain]));
}
