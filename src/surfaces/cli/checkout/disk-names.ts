// Gives each file of memory a name on disk.
// Invariant: pure; a name is valid on Linux, macOS and Windows. No two names differ only in case or in Unicode
// normalization, no file has the name of a folder, and no file is hidden or belongs to git.
import { createHash } from "node:crypto";

/** The ending of the file with memory's text, which is written beside a file in conflict. */
export const conflictEnding = ".conflict";
export const indexName = "MEMORY.md";
export const stateFolder = ".palimpsest";

/** Names of devices on Windows, and the short names that Windows gives to the folder `.git`. */
const reserved = /^(?:(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)|git~\d+$)/iu;
/** Maximum bytes of a part of a name. File systems allow 255; the endings of conflicts and drafts need some of them. */
const maxBytes = 180;

/** Returns the name on disk for each path in memory. A path in `known` keeps its name. */
export function diskNames(paths: readonly string[], known: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const taken = createTaken();
  const names = new Map<string, string>();
  const give = (path: string, name: string): void => {
    names.set(path, name);
    taken.add(name);
  };
  for (const path of paths) if (known.has(path)) give(path, known.get(path)!);
  for (const path of paths) {
    if (names.has(path)) continue;
    const name = path.split("/").map(encodedPart).join("/");
    const fits = name.split("/").every((part) => Buffer.byteLength(part) <= maxBytes) && !name.endsWith(conflictEnding);
    give(path, fits && !taken.has(name) ? name : hashed(path));
  }
  return names;
}

function encodedPart(part: string): string {
  // Some file systems of macOS ignore characters of the category Cf: a dot after them is then the first character.
  const plain = part.replaceAll(/[\p{Cc}%<>:"|?*\\]|(?<=^\p{Cf}*)\.|^ |[. ]$/gu, percent);
  return reserved.test(plain) ? plain.replace(/^./u, percent) : plain;
}

function percent(character: string): string {
  return `%${character.codePointAt(0)!.toString(16).toUpperCase().padStart(2, "0")}`;
}

function hashed(path: string): string {
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const [, ending = ""] = /(\.[a-z0-9]{1,8})$/iu.exec(path) ?? [];
  return `other/${hash}${ending === conflictEnding ? "" : ending}`;
}

function createTaken() {
  const own = [indexName, stateFolder].map(folded);
  const files = new Set(own);
  const folders = new Set<string>();
  const foldersOf = (name: string) =>
    name
      .split("/")
      .slice(0, -1)
      .map((_, at, parts) => parts.slice(0, at + 1).join("/"));
  return {
    has: (name: string): boolean => {
      const key = folded(name);
      return files.has(key) || folders.has(key) || foldersOf(key).some((folder) => files.has(folder));
    },
    add: (name: string): void => {
      const key = folded(name);
      files.add(key);
      for (const folder of foldersOf(key)) folders.add(folder);
    },
  };
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
