// Reads a pasted text as paths of files, as terminals paste files that are dropped on them.
// Invariant: pure; whether the files exist is for the caller to find out.

const maxLength = 4_000;
const maxPaths = 20;
const imageName = /\.(?:png|jpe?g|gif|webp)$/iu;

/** Returns lists of paths that the text may mean, the most likely first. Empty for a text that is not paths alone. */
export function droppedPaths(pasted: string): readonly (readonly string[])[] {
  const text = pasted.trim();
  if (text === "" || text.length > maxLength) return [];
  const words = wordsOf(text).map(withoutScheme);
  const lists = [...(text.includes("\n") ? [] : [[withoutScheme(text)]]), words];
  return lists.filter((paths) => paths.length <= maxPaths && paths.every(isPath));
}

/** Returns the mention of a file: `@/tmp/a.png`; null for a path that a mention cannot contain. */
export function mentionOf(path: string): string | null {
  if (/["\n]/u.test(path)) return null;
  return /\s/u.test(path) ? `@"${path}"` : `@${path}`;
}

/** A relative path must be that of an image: other words are rather text. */
function isPath(path: string): boolean {
  return /^(?:\/|~\/|[a-z]:[\\/])/iu.test(path) || imageName.test(path);
}

/** Splits at blanks, except in quotes and after a backslash. */
function wordsOf(text: string): readonly string[] {
  const isWindows = /^["']?[a-z]:\\/iu.test(text);
  const word = isWindows ? /"[^"]*"|\S+/gu : /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gsu;
  return [...text.matchAll(word)].map(([found]) => (isWindows ? found.replaceAll('"', "") : unquoted(found)));
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"([^"]*)"|\\(.)/gsu,
    (_all, single, double, escaped) => single ?? double ?? escaped,
  );
}

/** `file:///home/ada/a%20b.png` is the path `/home/ada/a b.png`. */
function withoutScheme(path: string): string {
  const encoded = /^file:\/\/[^/]*(\/.*)$/su.exec(path)?.[1];
  if (encoded === undefined) return path;
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}
