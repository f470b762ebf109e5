// Generates llms.txt and docs/SKILL.md, the lists of pages for programs, from docs/index.md: npm run docs:index
// Fails if docs/index.md does not list each page of docs/ exactly once. --check fails if a generated list differs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsOf, pagesOf } from "./docs-contents.mjs";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sections = contentsOf(root);
const listed = sections.flatMap(({ pages }) => pages.map(({ path }) => path));
const there = pagesOf(root);
const problems = [
  ...there.filter((path) => !listed.includes(path)).map((path) => `docs/index.md does not list ${path}`),
  ...listed.filter((path) => !there.includes(path)).map((path) => `docs/index.md lists ${path}, which does not exist`),
  ...listed.filter((path, at) => listed.indexOf(path) !== at).map((path) => `docs/index.md lists ${path} twice`),
];

/** The head of the skill: a model reads the description to decide whether to open it. */
const skillHead = `---
name: palimpsest
description: Documentation of Palimpsest, the runtime for agents that edit their own memory. Use it to write a program or a
  memory class with the package, to run its commands or its server, to configure it, or to move agents from Letta or MemGPT.
---

# Palimpsest

${description} Read the page of your task below; the paths are relative to this file. \`errors.md\` explains an error by its
code, \`configuration.md\` every setting, \`cli.md\` every command.
`;

for (const [file, text] of [
  ["llms.txt", `# Palimpsest\n\n> ${description}\n\n${listOf("docs/")}`],
  ["docs/SKILL.md", `${skillHead}\n${listOf("")}`],
]) {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (isCheck) problems.push(`${file} differs from docs/index.md: npm run docs:index`);
  else writeFileSync(path, text);
}
for (const problem of problems) process.stderr.write(`docs-index: ${problem}\n`);
process.stdout.write(`docs-index: ${listed.length} pages in ${sections.length} sections\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function listOf(folder) {
  const lines = sections.map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map((page) => `- [${page.title}](${folder}${page.path}): ${page.description}\n`).join("")}`,
  );
  return lines.join("\n");
}
