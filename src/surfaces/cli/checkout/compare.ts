// Compares a checkout with memory: what was edited on which side since they were last equal.
// Invariant: pure; a file that both sides changed to different texts is a conflict, and nothing else is decided about it.
import { diskNames } from "./disk-names.ts";
import { contentOf, type FileMeta, hashOf, textOf } from "./file-texts.ts";
import type { CheckoutState, KnownFile, Scan } from "./folder.ts";
import type { MemoryFile } from "../runtime-records.ts";

/** A file with what has to happen to it. */
export interface Difference {
  readonly path: string;
  readonly name: string;
  /**
   * `edited`, `added`, `removed`: in the folder. `incoming`: in memory. `agreed`: both have the same text again. `conflict`: both
   * were changed; `unresolved`: the file of an earlier conflict is still there. `problem`: the file is no text of memory.
   */
  readonly kind: "edited" | "added" | "removed" | "incoming" | "agreed" | "conflict" | "unresolved" | "problem";
  /** The text in the folder; null for none. */
  readonly mine: string | null;
  /** The file in memory; null for none. */
  readonly theirs: MemoryFile | null;
  readonly known: KnownFile | null;
  /** The hash of the content in the folder; null for none. */
  readonly hash: string | null;
  readonly problem?: string;
}

export interface Compared {
  /** What is known of the files of the folder, by path. */
  readonly known: ReadonlyMap<string, KnownFile>;
  /** The names of all files of memory, by path. */
  readonly names: ReadonlyMap<string, string>;
  readonly differences: readonly Difference[];
}

export function compare(
  state: Pick<CheckoutState, "files" | "pending">,
  found: Scan,
  files: readonly MemoryFile[],
): Compared {
  const written = Object.entries(state.pending).filter(([, { name, hash }]) => {
    const bytes = found.files.get(name);
    return bytes !== undefined && hashOf(bytes) === hash;
  });
  const knownFiles = new Map([...Object.entries(state.files), ...written]);
  const knownNames = new Map([...knownFiles].map(([path, { name }]) => [path, name]));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const ofState = new Set(knownNames.values());
  // A new file that memory has got as well: its name is its path.
  const added = [...found.files.keys(), ...found.problems.keys()].filter((name) => !ofState.has(name));
  const paths = new Set([...knownFiles.keys(), ...added, ...byPath.keys()]);
  const names = diskNames([...paths], new Map([...knownNames, ...added.map((name) => [name, name] as const)]));
  const differences = [...paths].toSorted().flatMap((path): readonly Difference[] => {
    const known = knownFiles.get(path) ?? null;
    const name = names.get(path)!;
    const difference = differenceOf({ path, name, known, theirs: byPath.get(path) ?? null }, found);
    return difference === null ? [] : [difference];
  });
  return { known: knownFiles, names, differences };
}

type Sides = Pick<Difference, "path" | "name" | "known" | "theirs">;
type Found = Pick<Difference, "kind"> & Partial<Pick<Difference, "mine" | "problem">>;

function differenceOf(sides: Sides, found: Scan): Difference | null {
  const { name, known, theirs } = sides;
  const bytes = found.files.get(name);
  const hash = bytes === undefined ? null : hashOf(bytes);
  const isStale = versionOf(known) !== versionOf(theirs);
  const problem = found.problems.get(name);
  const as = (difference: Found): Difference => ({ ...sides, hash, mine: null, ...difference });
  if (found.conflicts.has(name)) return as({ kind: "unresolved" });
  if (problem !== undefined) return as({ kind: "problem", problem });
  if (hash === (known?.hash ?? null)) return isStale ? as({ kind: "incoming" }) : null;
  if (bytes === undefined) return as({ kind: isStale ? "incoming" : "removed" });
  return as(editOf(sides, bytes, isStale));
}

function versionOf(file: { readonly version: string | null } | null): string | null {
  return file === null ? null : file.version;
}

/** What is in a file that was edited. */
function editOf({ path, known, theirs }: Sides, bytes: Uint8Array, isStale: boolean): Found {
  const meta: FileMeta = theirs ?? { path, kind: "file", description: null };
  const read = textOf(bytes, meta, theirs?.text ?? "");
  if ("problem" in read) return { kind: "problem", problem: read.problem };
  const { text: mine } = read;
  if (mine === theirs?.text) return { kind: "agreed", mine };
  if (isStale) return { kind: "conflict", mine };
  return { kind: known === null ? "added" : "edited", mine };
}

export function contentInFolder(file: MemoryFile): string {
  return contentOf(file, file.text);
}
