// Converts texts of memory to the content of files, and back.
// Invariant: pure; a text that is converted to a file and back is unchanged. A file that cannot be a text of memory has
// a problem instead of a text.
import { createHash } from "node:crypto";
import type { MemoryFile } from "../runtime-records.ts";

export type FileMeta = Pick<MemoryFile, "path" | "kind" | "description">;

/** The text of a file, or the reason why the file cannot be a text of memory. */
export type ReadText = { readonly text: string } | { readonly problem: string };

/** Returns the content of a file. A module's file begins with its name and description, and ends with a line break. */
export function contentOf(meta: FileMeta, text: string): string {
  return meta.kind === "module" ? `${headOf(meta)}${text}\n` : text;
}

function headOf({ path, description }: FileMeta): string {
  return `---\nname: ${path.replace(/\.md$/u, "")}\ndescription: ${JSON.stringify(description ?? "")}\n---\n`;
}

/** Returns the text of a file's bytes. `before` is the file's text in memory; "" if there is none. */
export function textOf(bytes: Uint8Array, meta: FileMeta, before: string): ReadText {
  const content = decoded(bytes);
  if (content === null) return { problem: "it is not UTF-8 text" };
  // If an editor on Windows has changed all line ends to CRLF, changes them back, so that they do not count as an edit.
  const isConverted = !before.includes("\r") && /\r\n/u.test(content) && !/(?:^|[^\r])\n/u.test(content);
  const lines = isConverted ? content.replaceAll("\r\n", "\n") : content;
  if (meta.kind !== "module") {
    if (lines.trim() === "" && before !== "") return { problem: "it is empty: remove the file instead" };
    return { text: lines };
  }
  const head = headOf(meta);
  if (!lines.startsWith(head))
    return { problem: "its first four lines must be the unchanged name and description of the module" };
  return { text: lines.slice(head.length).replace(/\n$/u, "") };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\u0000") ? null : text;
  } catch {
    return null;
  }
}

export function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Returns the text of MEMORY.md: a list of all files except passages, and the number of passages. */
export function indexOf(files: readonly (MemoryFile & { readonly name: string })[]): string {
  const archived = files.filter(({ kind }) => kind === "passage").length;
  const lines = files
    .filter(({ kind }) => kind !== "passage")
    .map(({ name, description }) => `- [${name}](<${name}>)${description === null ? "" : `: ${description.trim()}`}`);
  const archive = archived === 0 ? [] : [`- archive/: ${archived} ${archived === 1 ? "passage" : "passages"}`];
  return ["# Memory", "", ...lines, ...archive, ""].join("\n");
}
