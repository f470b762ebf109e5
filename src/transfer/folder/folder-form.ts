// Reads memory that other programs keep as a folder of Markdown files: claude-code's memory, Letta's memfs, and AGENTS.md.
// Invariant: pure; a file is one memory with its path and its exact text.
import type { ExportForm } from "../export-form.ts";
import { textAt } from "../json-fields.ts";

/** A Markdown file of a memory folder, with its content. */
export interface FolderItem {
  readonly isMemoryFile: true;
  readonly path: string;
  readonly text: string;
  /** The time of the last change, in milliseconds. */
  readonly at: number;
}

export const folderForm: ExportForm = {
  program: "a folder",
  holds: "memories",
  files: /\.md$/iu,
  fileName: "MEMORY.md",
  holders: [],
  recognizes: (item) => item["isMemoryFile"] === true,
  read(item) {
    const { path, at } = item as unknown as FolderItem;
    const text = textAt(item, "text");
    return text.trim() === ""
      ? { leftOut: "files without a text" }
      : { memory: { key: null, path, text, tags: [], at } };
  },
};
