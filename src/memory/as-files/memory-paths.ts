// The paths of memory as files: checks paths, and returns the path of a module and the path and text of a passage.
// Invariant: pure; a path is relative, its parts are separated by "/", and no part is empty, "." or "..".
import { takeCodePoints } from "../../base/code-points.ts";
import { ToolError } from "../../base/errors.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { skillPath } from "../core/skill.ts";

/** The folder of Anthropic's memory tool. */
export const memoryRoot = "/memories";

/** A passage, as searches and listings return it. */
export interface FilePassage {
  readonly id: string;
  readonly text: string;
  readonly tags?: readonly string[];
  readonly at: Date;
}

export interface PassageFile {
  readonly path: string;
  readonly text: string;
  /** Whether the passage's writer chose its path; otherwise, the path is made from the passage's day, words and id. */
  readonly isNamed: boolean;
}

/** The tag that marks a passage whose writer chose its path; a second tag contains the path. */
export const fileMark = "memory-file";
/** The tag of a passage that keeps the text of a deleted file. */
export const deletedMark = "deleted-file";
/** Maximum code points of a path: a tag contains the path, and may have at most 200. */
const maxPath = 190;
const fileTag = (path: string): string => `file:${path}`;

/** Returns the tags by which a search finds a file. */
export function tagsOfFile(path: string): readonly string[] {
  return [fileMark, fileTag(path)];
}

/** Returns the tags, except the two that `tagsOfFile` returns. */
export function otherTags(tags: readonly string[] = []): readonly string[] {
  return tags.filter((tag) => tag !== fileMark && !tag.startsWith("file:"));
}

/** Returns the text of a file's passage. It begins with the path, so that files with equal texts have two passages. */
export function passageText(path: string, text: string): string {
  return `File ${path}\n${text}`;
}

export function modulePath(label: string): string {
  return skillOfLabel(label) === null ? `${label}.md` : skillPath(label);
}

/** Returns the path relative to the root for a path of the memory tool; "" for the root. Throws ToolError. */
export function relativePath(given: string): string {
  if (given !== memoryRoot && !given.startsWith(`${memoryRoot}/`)) {
    throw new ToolError(`Error: Path must start with ${memoryRoot}, got: ${given}`);
  }
  const path = given.slice(memoryRoot.length + 1).replace(/\/$/u, "");
  if (path !== "" && !isPath(path)) throw new ToolError(`Error: Path ${given} is not a path below ${memoryRoot}`);
  return path;
}

/** Whether a relative path is allowed. Backslashes, control characters and encoded separators are not. */
export function isPath(path: string): boolean {
  if (/[\p{Cc}\p{Cs}\\]|%2e|%2f|%5c/iu.test(path) || [...path].length > maxPath) return false;
  return path.split("/").every((part) => part.trim() !== "" && part !== "." && part !== "..");
}

/** Matches a path that is made from a passage; the groups are the passage's day in UTC and the end of its id. */
const madePath = /^archive\/(\d{4}-\d\d-\d\d)-(?:.*-)?([0-9a-f]{8,}[0-9a-f-]*)\.md$/u;

/** Returns the day of a path that is made from a passage; null for any other path. */
export function dayOfPath(path: string): Date | null {
  const [, day] = madePath.exec(path) ?? [];
  return day === undefined ? null : new Date(`${day}T00:00:00Z`);
}

/** Returns a function that gives each passage a unique path. If a path is already taken, the function adds the id. */
export function createPaths(labels: readonly string[]): (passage: FilePassage) => PassageFile {
  const taken = new Set(labels.map(modulePath));
  return (passage) => {
    const named = pathInTags(passage);
    let path = named ?? pathOf(passage, 8);
    if (named === null && taken.has(path)) path = pathOf(passage, 36);
    while (taken.has(path)) path = withId(path, passage.id);
    taken.add(path);
    const start = named === null ? "" : passageText(named, "");
    const text = passage.text.startsWith(start) ? passage.text.slice(start.length) : passage.text;
    return { path, text, isNamed: named !== null };
  };
}

function pathInTags({ tags = [] }: FilePassage): string | null {
  if (!tags.includes(fileMark)) return null;
  return tags.map((tag) => tag.replace(/^file:/u, "")).find((path, at) => path !== tags[at] && isPath(path)) ?? null;
}

const slugLength = 40;

function pathOf({ id, text, at }: FilePassage, idLength: number): string {
  const words =
    text
      .slice(0, 200)
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const slug = takeCodePoints(words.join("-"), slugLength).replace(/-$/u, "");
  return `archive/${[at.toISOString().slice(0, 10), ...(slug === "" ? [] : [slug]), id.slice(-idLength)].join("-")}.md`;
}

/** Returns a path with the end of an id: `notes.txt` becomes `notes~1a2b3c4d.txt`. */
function withId(path: string, id: string): string {
  return path.replace(/(\.[^./]*)?$/u, (ending) => `~${id.slice(-8)}${ending}`);
}
