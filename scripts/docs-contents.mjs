// Reads docs/index.md, the list of all pages: its sections, and the title, path and description of each page.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the sections of docs/index.md in order, each with its pages; the path is relative to docs/. */
export function contentsOf(root) {
  const text = readFileSync(join(root, "docs", "index.md"), "utf8");
  const [, ...parts] = text.split(/^## /mu);
  return parts.map((part) => ({
    title: part.slice(0, part.indexOf("\n")),
    pages: [...part.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)\): ([\s\S]*?)(?=\n- |\n\n|\n*$)/gmu)].map(
      ([, title, path, description]) => ({ title, path, description: description.replace(/\s+/gu, " ") }),
    ),
  }));
}

/** Returns the pages of docs/ and its folders, relative to docs/: all Markdown but decisions, the list and the skill made of it. */
export function pagesOf(root) {
  return readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".md") && !file.startsWith("adr/") && file !== "index.md" && file !== "SKILL.md",
  );
}

/** Returns the first heading of a Markdown text. */
export function titleOf(text) {
  return /^# (.+)$/mu.exec(text)?.[1] ?? "";
}
