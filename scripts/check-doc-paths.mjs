// Checks that every path, link and test title in the documents exists, and that no line of a page is too long: npm run check:paths
// Invariant: moving a file or renaming a test fails unless the documents follow. Comments must name existing documents. A
// path with `*`, `…` or `<name>` must match at least one file.
// Prints file:line and what is wrong, and then exits with 1. Usage: node scripts/check-doc-paths.mjs [root folder]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
// This document's examples of broken rules name files that never existed.
const unchecked = new Set(["docs/adr/0003-gates-seen-to-fail.md"]);

// Of the pages in docs/, so that a change of a sentence is a readable difference. Decisions keep their tables.
const longestLine = 300;

const documents = [...readdirSync(root), ...filesBelow("docs")].filter((file) => file.endsWith(".md"));
const sources = ["src", "tools", "bin", "test"].flatMap(filesBelow).filter((file) => /\.(ts|sql)$/u.test(file));
const findings = [
  ...documents
    .filter((file) => !unchecked.has(file))
    .flatMap((file) => [...missingPaths(file), ...brokenLinks(file), ...missingTitles(file)]),
  ...documents.filter((file) => /^docs\/(?!adr\/)/u.test(file)).flatMap(longLines),
  ...sources.filter((file) => !file.startsWith("test/fixtures/")).flatMap(missingPathsInComments),
];
if (documents.length === 0) findings.push("check-doc-paths: found no document");
process.stdout.write([...findings, `check-doc-paths: ${documents.length} documents\n`].join("\n"));
process.exitCode = findings.length === 0 ? 0 : 1;

/** Checks paths from the project's root, in running text and in code spans. */
function missingPaths(file) {
  return linesOf(file).flatMap((line, index) => pathsIn(line).flatMap((path) => missing(file, index, path)));
}

/** Checks the lengths of lines. */
function longLines(file) {
  return linesOf(file).flatMap((line, index) => {
    if (line.length <= longestLine) return [];
    return [
      `${file}:${index + 1}: ${line.length} characters, ${longestLine} is the most: wrap it, or make a list of the table`,
    ];
  });
}

/** Checks titles of tests: `test/x.test.ts` "title" and "another title". */
function missingTitles(file) {
  return linesOf(file).flatMap((line, index) =>
    [...line.matchAll(/`(test\/[\w./-]+\.ts)`((?: (?:and )?"[^"]+")+)/gu)].flatMap(([, path, titles]) => {
      const source = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
      return [...titles.matchAll(/"([^"]+)"/gu)]
        .filter(([, title]) => !source.includes(title))
        .map(([, title]) => `${file}:${index + 1}: ${path} has no test "${title}"`);
    }),
  );
}

/** Checks paths of documents and migrations in comments; other paths there may be examples. */
function missingPathsInComments(file) {
  const isDocument = (path) => /^(docs|drizzle)\//u.test(path);
  return linesOf(file).flatMap((line, index) =>
    /^\s*(\/\/|\/?\*|--)/u.test(line)
      ? pathsIn(line)
          .filter(isDocument)
          .flatMap((path) => missing(file, index, path))
      : [],
  );
}

function pathsIn(line) {
  const path =
    /(?<![\w/.-])(?:src|test|tools|docs|scripts|drizzle|bench|bin|evals|examples|personas|\.ci)\/[\w./*…<>-]+/gu;
  return [...line.matchAll(path)].map(([found]) => found.replace(/[.…]+$/u, ""));
}

function missing(file, index, path) {
  if (isThere(path)) return [];
  return [`${file}:${index + 1}: ${path} does not exist: name the file that replaced it`];
}

function isThere(path) {
  const pattern = path.replace(/<[^>]*>|…/gu, "*");
  if (!pattern.includes("*")) return existsSync(join(root, pattern));
  const regex = new RegExp(
    `^${pattern.replace(/[.+^${}()|[\]\\]/gu, "\\$&").replace(/\*\*\/|\*+/gu, (stars) => (stars === "**/" ? "(?:.*/)?" : "[^/]*"))}`,
    "u",
  );
  return filesBelow(pattern.split("/")[0]).some((file) => regex.test(file));
}

/** Checks links to other files and to headings. */
function brokenLinks(file) {
  return linesOf(file).flatMap((line, index) =>
    [...line.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/gu)].flatMap(([, target]) => {
      const [path, anchor] = target.split("#");
      const linked = path === "" ? file : join(dirname(file), path);
      if (!existsSync(join(root, linked))) return [`${file}:${index + 1}: the link ${target} leads nowhere`];
      if (anchor === undefined || !linked.endsWith(".md") || anchorsOf(linked).has(anchor)) return [];
      return [`${file}:${index + 1}: ${linked} has no heading #${anchor}`];
    }),
  );
}

function anchorsOf(file) {
  const headings = linesOf(file).filter((line) => /^#{1,6} /u.test(line));
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /u, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/gu, "-"),
    ),
  );
}

function linesOf(file) {
  return readFileSync(join(root, file), "utf8").split("\n");
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
