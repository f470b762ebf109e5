// Compares a checkout with memory: finds what changed in the folder, in memory or in both since they were last equal.
// Invariant: pure; a file that was changed to different texts in the folder and in memory is always a conflict.
import { diskNames } from "./disk-names.ts";
import { contentOf, type FileMeta, hashOf, textOf } from "./file-texts.ts";
import type { CheckoutState, KnownFile, Scan } from "./folder.ts";
import type { MemoryFile } from "../runtime-records.ts";

/** A file whose text is not the same in the folder, in memory, and at the last comparison of the two. */
export interface Difference {
  readonly path: string;
  readonly name: string;
  /**
   * `edited`, `added`, `removed`: changed in the folder. `incoming`: changed in memory. `agreed`: changed to the same
   * text in both. `conflict`: changed to different texts. `unresolved`: the file of an earlier conflict, which ends in
   * `.conflict`, is still there. `problem`: memory cannot contain what is in the file.
   */
  readonly kind: "edited" | "added" | "removed" | "incoming" | "agreed" | "conflict" | "unresolved" | "problem";
  /** The edited text in the folder; null if it was not edited. */
  readonly mine: string | null;
  /** The file in memory; null if memory has no such file. */
  readonly theirs: MemoryFile | null;
  readonly known: KnownFile | null;
  /** The hash of the file's content in the folder; null if the folder has no such file. */
  readonly hash: string | null;
  readonly problem?: string;
}

export interface Compared {
  /** The files in the folder as they were last written or compared, by path. */
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
  // The name of a new file in the folder is also its path, so that it is compared with memory's file at this path.
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

/** Returns the difference of a file that was added or edited in the folder, with its text or its problem. */
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
