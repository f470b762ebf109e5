// Names of attached files, as a model writes them: `source/file`, the file alone, or its id.
// Invariant: pure; a name that several files share opens none of them.
import { nearestName } from "../../base/nearest-name.ts";
import { ToolError } from "../../base/errors.ts";
import type { AttachedFile } from "../../store/port/attached-file-store.ts";

const maxListed = 20;

/** Returns the name that the model reads, such as `work/handbook/leave.md`. */
export function shownName({ sourceName, name }: Pick<AttachedFile, "sourceName" | "name">): string {
  return `${sourceName}/${name}`;
}

/** Returns the file with this name or id. Throws ToolError, which lists file names, if no file or several match. */
export function fileNamed(files: readonly AttachedFile[], wanted: string): AttachedFile {
  const exact = files.find((file) => shownName(file) === wanted || file.id === wanted);
  if (exact !== undefined) return exact;
  const named = files.filter(({ name, path }) => name === wanted || path === wanted);
  const [first, ...others] = named;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    throw new ToolError(`Several files are named "${wanted}": ${named.map(shownName).join(", ")}. Nothing was opened.`);
  const names = files.map(shownName);
  const nearest = nearestName(wanted, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const rest = names.length > maxListed ? `, and ${names.length - maxListed} more` : "";
  throw new ToolError(
    `There is no file "${wanted}".${hint} The files: ${names.slice(0, maxListed).join(", ") || "none"}${rest}. Nothing was opened.`,
  );
}

/** Returns the files whose names match a pattern with `*` and `?`, ignoring case; all files if there is no pattern. */
export function filesMatching(files: readonly AttachedFile[], pattern: string | undefined): readonly AttachedFile[] {
  if (pattern === undefined || pattern === "") return files;
  return files.filter((file) => isMatch(shownName(file), pattern) || isMatch(file.name, pattern));
}

/**
 * Returns whether a name matches a pattern. The time is at most proportional to the product of their lengths, because a
 * model writes the pattern.
 */
function isMatch(name: string, pattern: string): boolean {
  const [text, form] = [name.toLowerCase(), pattern.toLowerCase()];
  let reached: readonly number[] = [0];
  for (const character of form.replaceAll(/\*+/gu, "*")) reached = reachedBy(character, { text, reached });
  return reached.includes(text.length);
}

/** Advances a match by one character of the pattern: returns the positions reached in the text, each once, ascending. */
function reachedBy(
  character: string,
  { text, reached }: { readonly text: string; readonly reached: readonly number[] },
): readonly number[] {
  const [first] = reached;
  if (first === undefined) return [];
  if (character === "*") return Array.from({ length: text.length - first + 1 }, (_, at) => first + at);
  return reached.flatMap((at) => (at < text.length && (character === "?" || text[at] === character) ? [at + 1] : []));
}
