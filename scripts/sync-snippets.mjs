// Updates the parts of README.md and docs/*.md that are copied from files: code blocks and screen snapshots after a `snippet`
// marker, the line counts of the reading list, the versions of dependencies; and the recording of the README. Also checks that named files exist.
// If something is missing, it writes nothing; with --check it only reports, and exits with 1.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { recordingOf, recordingPath } from "./recording.mjs";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const documents = [
  join(root, "README.md"),
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".md"))
      .map((file) => join(root, folder, file)),
  ),
].sort();
const problems = [];
const drifted = new Map();
const counts = { snippets: 0, "line counts": 0, versions: 0, paths: 0 };

for (const document of documents) {
  const text = readFileSync(document, "utf8");
  checkPaths(document, text);
  const synced = withVersions(document, withLineCounts(document, withSnippets(document, text)));
  if (synced !== text) drifted.set(document, synced);
}
const recording = join(root, recordingPath);
const picture = recordingOf(root);
if (!existsSync(recording) || readFileSync(recording, "utf8") !== picture) drifted.set(recording, picture);
const readmeLines = readFileSync(join(root, "README.md"), "utf8").split("\n").length - 1;
if (readmeLines > 180) problems.push(`README.md has ${readmeLines} lines, 180 is the most: move reference to docs/`);
// A misspelt marker would look like success, so each kind must occur at least once.
for (const [kind, count] of Object.entries(counts)) if (count === 0) problems.push(`found no ${kind} to keep true`);

const names = [...drifted.keys()].map(nameOf);
if (isCheck)
  problems.push(...names.map((name) => `${name} differs from what it shows: node scripts/sync-snippets.mjs`));
if (problems.length === 0) {
  for (const [document, synced] of drifted) writeFileSync(document, synced);
  const found = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  const rewritten = names.length === 0 ? "" : `; rewrote ${names.join(", ")}`;
  process.stdout.write(`sync-snippets: ${found.join(", ")}${rewritten}\n`);
}
for (const problem of problems) process.stderr.write(`sync-snippets: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Checks that the files that documents name exist. */
function checkPaths(document, text) {
  for (const [, path] of text.matchAll(
    /`((?:src|tools|bin|personas|drizzle|examples|test|docs|scripts)\/[\w./-]*)`/gu,
  )) {
    counts.paths += 1;
    const isThere = existsSync(join(root, path));
    if (!isThere) problems.push(`${nameOf(document)}: names ${path}, which is not there`);
  }
}

/** Replaces the code block after each `<!-- snippet: path#part -->` by that file's text, or that part of it. */
function withSnippets(document, text) {
  const markers = text.match(/<!-- snippet:/gu)?.length ?? 0;
  let found = 0;
  const synced = text.replaceAll(
    /<!-- snippet: ([^\s#]+)(?:#(\S+))? -->(\n+)```[^\n]*\n[\s\S]*?^```$/gmu,
    (...[, path, part, gap]) => {
      found += 1;
      const marker = part === undefined ? path : `${path}#${part}`;
      const code = snippetOf(document, path, part);
      return `<!-- snippet: ${marker} -->${gap}\`\`\`${extname(path).slice(1).replace("mjs", "js")}\n${code}\n\`\`\``;
    },
  );
  counts.snippets += found;
  if (found !== markers)
    problems.push(`${nameOf(document)}: ${markers - found} snippet marker(s) without a code block`);
  return synced;
}

function snippetOf(document, path, part) {
  const file = join(root, path);
  if (!existsSync(file)) {
    problems.push(`${nameOf(document)}: there is no file ${path}`);
    return "";
  }
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  if (path.startsWith("test/pty/screens/")) return rowsOf(document, { path, lines, part });
  const code = part === undefined ? lines : (regionOf(lines, part) ?? declarationOf(lines, part));
  if (code === undefined) problems.push(`${nameOf(document)}: ${path} has no region and no declaration "${part}"`);
  return dedented((code ?? []).filter((line) => !/^\s*(?:\/\/|#) (?:region \S+|endregion)\s*$/u.test(line))).join("\n");
}

/** Returns a screen snapshot without its cursor line: all of it, or from the last row that begins with `> part`. */
function rowsOf(document, { path, lines, part }) {
  const from = part === undefined ? 0 : lines.findLastIndex((line) => line.startsWith(`> ${part}`));
  if (from < 0) problems.push(`${nameOf(document)}: ${path} has no row that begins with "> ${part}"`);
  return lines
    .slice(Math.max(0, from), -1)
    .filter((_line, index, rows) => index > 0 || rows[0] !== "")
    .join("\n");
}

/** Returns the lines between `// region name` and the next `// endregion`; in Python, after `#`. */
function regionOf(lines, name) {
  const from = lines.findIndex((line) => /^\s*(?:\/\/|#) region (\S+)$/u.exec(line)?.[1] === name);
  const to = lines.findIndex((line, index) => index > from && /^\s*(?:\/\/|#) endregion$/u.test(line));
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to);
}

/** Returns a top-level class, function or constant: from its line to the next closing line at the margin. */
function declarationOf(lines, name) {
  const from = lines.findIndex((line) =>
    new RegExp(`^(?:export )?(?:async )?(?:class|function\\*?|const) ${name}\\b`, "u").test(line),
  );
  const to = lines.findIndex((line, index) => index >= from && /^\S.*[;}]$|^[)}\]]+;?$/u.test(line));
  return from < 0 || to < 0 ? undefined : lines.slice(from, to + 1);
}

function dedented(lines) {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^ */u.exec(line)[0].length);
  const margin = Math.min(...indents);
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)) : lines;
}

/** Updates line counts between `<!-- lines:start -->` and `<!-- lines:end -->`: the first number after a file's link. */
function withLineCounts(document, text) {
  return betweenMarkers(text, "lines", (block) =>
    block.replaceAll(/(\[`([^`]+)`\]\([^)]*\) *\| *)(\d+ *?)(?= \|)/gu, (...[row, before, path, old]) => {
      const file = join(root, path);
      if (!existsSync(file)) {
        problems.push(`${nameOf(document)}: there is no file ${path}`);
        return row;
      }
      counts["line counts"] += 1;
      return before + inWidthOf(old, readFileSync(file, "utf8").split("\n").length - 1);
    }),
  );
}

/** Updates versions between `<!-- versions:start -->` and `<!-- versions:end -->`: one item per dependency. */
function withVersions(document, text) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pinned = { ...dependencies, ...devDependencies };
  return betweenMarkers(text, "versions", (block) => {
    const listed = new Set();
    const synced = block.replaceAll(/^(- `([^`]+)` )(\S+?)(?=: | \()/gmu, (...[item, before, name]) => {
      listed.add(name);
      counts.versions += 1;
      if (pinned[name] !== undefined) return before + pinned[name];
      problems.push(`${nameOf(document)}: lists ${name}, which package.json does not`);
      return item;
    });
    const missing = Object.keys(pinned).filter((name) => !listed.has(name));
    if (missing.length > 0) problems.push(`${nameOf(document)}: does not list ${missing.join(", ")}`);
    return synced;
  });
}

/** Pads a new value to the width of the old one if possible, because the formatter aligns table cells. */
function inWidthOf(old, value) {
  return String(value).padEnd(old.length);
}

function betweenMarkers(text, name, change) {
  const from = text.indexOf(`<!-- ${name}:start -->`);
  const to = text.indexOf(`<!-- ${name}:end -->`);
  return from < 0 || to < from ? text : `${text.slice(0, from)}${change(text.slice(from, to))}${text.slice(to)}`;
}

function nameOf(document) {
  return relative(root, document);
}
