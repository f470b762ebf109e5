// Core memory and the archive as files: a module is NAME.md, and a passage is a file of its own.
// Invariant: every change goes through the drafts of core memory and the archive, so that it has a revision and a trust
// class. The text of a deleted or replaced file stays in the archive or in a revision. An empty module has no file.
import { ToolError } from "../../base/errors.ts";
import { skillOfPath } from "../core/skill.ts";
import type { ArchivalDraft, ArchivalQuery, CoreMemoryDraft } from "../../tool/tool.ts";
import {
  createPaths,
  dayOfPath,
  deletedMark,
  fileMark,
  type FilePassage,
  memoryRoot,
  modulePath,
  otherTags,
  type PassageFile,
  passageText,
  tagsOfFile,
} from "./memory-paths.ts";

/** The drafts that files are read from and written to. */
export interface FileMemory {
  readonly core: CoreMemoryDraft;
  readonly archival: ArchivalDraft;
}

/** A file: a module, or a passage. */
export type StoredFile =
  | { readonly path: string; readonly text: string; readonly label: string; readonly passage: null }
  | (PassageFile & { readonly label: null; readonly passage: FilePassage });

/** Returns the label of the module with this path, even if it is a skill that does not exist; null for other paths. */
export function labelOfPath(core: Pick<CoreMemoryDraft, "labels">, path: string): string | null {
  return core.labels().find((label) => modulePath(label) === path) ?? skillOfPath(path);
}

/** Returns the file with this path; null if there is none. */
export async function findFile(memory: FileMemory, path: string): Promise<StoredFile | null> {
  const label = labelOfPath(memory.core, path);
  if (label !== null) {
    const file = moduleFiles(memory).find((one) => one.label === label) ?? null;
    // A skill counts as read if its text is returned, but not if a listing contains it.
    if (file !== null) memory.core.read(label);
    return file;
  }
  const of = (query: Partial<ArchivalQuery>) => findPassage(memory, path, query);
  const day = dayOfPath(path);
  const found = (await of({ allTags: tagsOfFile(path) })) ?? (day === null ? undefined : await of(around(day)));
  // If two passages have the same path, "~" and the end of an id are added to one path, but not to the path in its tag.
  return found ?? (path.includes("~") ? await of({ tags: [fileMark] }) : undefined) ?? null;
}

/** Returns all files; without `archive`, only modules, and passages whose writer chose a path. */
export async function listFiles(
  memory: FileMemory,
  { archive }: { readonly archive: boolean },
): Promise<readonly StoredFile[]> {
  const files = [...moduleFiles(memory)];
  for await (const file of passageFiles(memory, archive ? {} : { tags: [fileMark] })) files.push(file);
  return files;
}

async function findPassage(
  memory: FileMemory,
  path: string,
  query: Partial<ArchivalQuery>,
): Promise<StoredFile | undefined> {
  for await (const file of passageFiles(memory, query)) if (file.path === path) return file;
  return undefined;
}

/** Writes a text to a path. `from`: the file to replace there, or to move from another path. Throws ToolError. */
export async function putFile(memory: FileMemory, path: string, text: string, from: StoredFile | null): Promise<void> {
  const { core } = memory;
  const label = labelOfPath(core, path);
  if (label === null) await putPassage(memory.archival, { path, text, from });
  else core.edit(label, () => text);
  if (from === null || from.path === path) return;
  if (from.label !== null) core.edit(from.label, () => "");
  else if (label !== null) await retireFile(memory, from);
}

async function putPassage(
  archival: ArchivalDraft,
  { path, text, from }: { readonly path: string; readonly text: string; readonly from: StoredFile | null },
): Promise<void> {
  const replaced = from?.passage ?? null;
  const tags = replaced?.tags ?? [];
  const replaces = replaced === null ? [] : [replaced.id];
  if (from?.path === path && isOnlyInArchive(from)) await archival.insert(text, { tags, replaces });
  else await archival.insert(passageText(path, text), { tags: [...otherTags(tags), ...tagsOfFile(path)], replaces });
}

/** Whether a file is a passage to which nobody gave a path: its path is derived from its day, words and id. */
export function isOnlyInArchive(file: StoredFile): boolean {
  return file.passage !== null && !file.isNamed;
}

/** Empties a module or replaces a passage, so that the file is gone. Its text stays in the archive. Throws ToolError. */
export async function retireFile(
  { core, archival }: FileMemory,
  { path, text, label, passage }: StoredFile,
): Promise<void> {
  const replaces = passage === null ? [] : [passage.id];
  const tags = [deletedMark, ...otherTags(passage?.tags).filter((tag) => tag !== deletedMark)];
  await archival.insert(`Deleted file ${path}\n${text}`, { tags, replaces });
  if (label !== null) core.edit(label, () => "");
}

/** Throws ToolError if one of the files is a passage to which nobody gave a path: such a file cannot be deleted. */
export function requireRemovable(files: readonly StoredFile[]): void {
  const made = files.find(isOnlyInArchive);
  if (made !== undefined)
    throw new ToolError(
      `Error: ${memoryRoot}/${made.path} is a passage of archival memory and cannot be deleted with this tool.`,
    );
}

function moduleFiles({ core }: FileMemory): readonly StoredFile[] {
  return core.labels().flatMap((label) => {
    const text = core.module(label).value;
    return text === "" ? [] : [{ path: modulePath(label), text, label, passage: null }];
  });
}

const firstPage = 8;

/** Yields the files of the agent's own current passages, newest first. Each page doubles the number of passages. */
async function* passageFiles(
  { core, archival }: FileMemory,
  filter: Partial<ArchivalQuery>,
): AsyncGenerator<StoredFile> {
  const fileOf = createPaths(core.labels());
  for (let seen = 0, total = 1; seen < total; ) {
    const page = { page: seen === 0 ? 0 : 1, pageSize: Math.max(seen, firstPage) };
    const found = await archival.search({ ...filter, ...page, kinds: ["memory", "fact"], countsAccesses: false });
    for (const hit of found.hits) {
      if (hit.replacement === undefined && hit.source === undefined)
        yield { ...fileOf(hit), label: null, passage: hit };
    }
    seen += page.pageSize;
    total = found.total;
  }
}

/** Returns the range from the day before to the day after: paths have days in UTC, searches in the agent's time zone. */
function around(day: Date): Pick<ArchivalQuery, "startDate" | "endDate"> {
  const at = (days: number): string => new Date(day.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  return { startDate: at(-1), endDate: at(1) };
}
