// Builds the documentation as a site with VitePress in .cache/site/dist: npm run docs:site
// The pages are docs/, the examples, and the project's own documents. VitePress is installed in .cache/site from the lock file of
// scripts/site. Fails on a warning, on a link or anchor that leads nowhere, and on a page that is more than two clicks away.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import { contentsOf, titleOf } from "./docs-contents.mjs";
import { problemsOfSite } from "./site/check-site.mjs";

const root = join(import.meta.dirname, "..");
const site = join(root, ".cache", "site");
const pages = join(site, "pages");

/** The page of each document, by the document's path in the project. */
const staged = new Map([
  ...markdownBelow("docs")
    .filter((file) => file !== "docs/SKILL.md")
    .map((file) => [file, file.slice("docs/".length)]),
  ...["AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md"].map((file) => [file, `project/${file.toLowerCase()}`]),
  ...readdirSync(join(root, "examples")).map((file) => [`examples/${file}`, `examples/${basename(file, ".ts")}.md`]),
]);

install();
const { decisions, examples } = stage();
const output = run(["node_modules/vitepress/bin/vitepress.js", "build"]);
writePlainPages();
const warnings = output.split("\n").filter((line) => /warn|deprecat|\(!\)|fall(?:ing)? ?back/iu.test(line));
const { count, problems } = problemsOfSite(join(site, "dist"));
for (const problem of [...warnings, ...problems]) process.stderr.write(`site: ${problem}\n`);
process.stdout.write(
  `site: ${count} pages, ${decisions.length} decisions, ${examples.length} examples in .cache/site/dist\n`,
);
process.exitCode = warnings.length + problems.length === 0 ? 0 : 1;

/** Installs VitePress, unless what the lock file says is installed. */
function install() {
  mkdirSync(site, { recursive: true });
  const lock = readFileSync(join(root, "scripts", "site", "package-lock.json"), "utf8");
  const installed = join(site, "node_modules", ".installed-lock.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return;
  for (const file of ["package.json", "package-lock.json"])
    copyFileSync(join(root, "scripts", "site", file), join(site, file));
  copyFileSync(join(root, ".npmrc"), join(site, ".npmrc"));
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: site, stdio: "inherit" });
  if (status !== 0) throw new Error("site: npm could not install VitePress");
  writeFileSync(installed, lock);
}

/** Writes the pages, their pictures and the configuration; returns the lists that are not in docs/index.md. */
function stage() {
  rmSync(pages, { recursive: true, force: true });
  for (const [file, page] of staged) write(page, file.endsWith(".ts") ? exampleOf(file) : relinked(file, page));
  cpSync(join(root, "docs", "pictures"), join(pages, "pictures"), { recursive: true });
  const listOf = (folder) =>
    [...staged]
      .filter(([file]) => file.startsWith(folder))
      .map(([, page]) => ({ title: titleOf(readFileSync(join(pages, page), "utf8")), path: page }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  const [decisions, examples] = [listOf("docs/adr/"), listOf("examples/")];
  write("adr/index.md", listPage("Decisions", "Context, decision, consequences and alternatives.", decisions));
  write("examples/index.md", listPage("Examples", "CI runs each of them: `npm run examples -- NAME`.", examples));
  const settings = join(site, ".vitepress");
  mkdirSync(join(settings, "theme"), { recursive: true });
  writeFileSync(join(settings, "theme", "index.js"), 'export { default } from "vitepress/theme-without-fonts";\n');
  const sections = contentsOf(root);
  sections.at(-1).pages.push(
    { title: "Decisions", path: "adr/index.md" },
    { title: "Examples", path: "examples/index.md" },
    ...["CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"].map((file) => ({
      title: titleOf(readFileSync(join(root, file), "utf8")),
      path: staged.get(file),
    })),
  );
  const config = JSON.stringify(join(root, "scripts", "site", "config.mjs"));
  const contents = JSON.stringify({ sections, decisions, examples });
  writeFileSync(
    join(settings, "config.mjs"),
    `import { configOf } from ${config};\nexport default configOf(${contents});\n`,
  );
  return { decisions, examples };
}

/** Adds llms.txt and the pages that it names as Markdown to the built site, for programs that read them. */
function writePlainPages() {
  const list = readFileSync(join(root, "llms.txt"), "utf8").replaceAll("](docs/", "](/");
  writeFileSync(join(site, "dist", "llms.txt"), list);
  for (const { path } of contentsOf(root).flatMap((section) => section.pages))
    copyFileSync(join(pages, path), join(site, "dist", path));
}

/** Returns a document with its links to other documents as links to their pages; links to files without a page become text. */
function relinked(file, page) {
  const folders = { "docs/adr": "adr/index.md", examples: "examples/index.md" };
  const link = /(?<!!)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)/gu;
  // Every other part of the split is a block of code.
  return readFileSync(join(root, file), "utf8")
    .split(/(^ *```[\s\S]*?^ *```$)/mu)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(link, relink)))
    .join("");

  function relink(whole, text, path, anchor = "") {
    const linked = posix.join(posix.dirname(file), path).replace(/\/$/u, "");
    const to = staged.get(linked) ?? folders[linked];
    if (to !== undefined) return `[${text}](${pathBetween(page, to)}${anchor})`;
    // A link that leads nowhere stays, so that the build fails.
    return existsSync(join(root, linked)) ? text : whole;
  }
}

function pathBetween(page, to) {
  const path = posix.relative(posix.dirname(page), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** Returns the page of an example: its name, and its source without the marks of regions. */
function exampleOf(file) {
  const source = readFileSync(join(root, file), "utf8").replace(/^\/\/ (?:region .+|endregion)\n/gmu, "");
  return `# ${basename(file)}\n\n\`\`\`ts\n${source.trimEnd()}\n\`\`\`\n`;
}

function listPage(title, sentence, items) {
  const lines = items.map((item) => `- [${item.title}](./${posix.basename(item.path)})`);
  return `# ${title}\n\n${sentence}\n\n${lines.join("\n")}\n`;
}

function write(page, text) {
  const file = join(pages, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Runs Node in the folder of the site; returns what it printed. */
function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: site,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(1);
  }
  return `${stdout}${stderr}`;
}

function markdownBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
