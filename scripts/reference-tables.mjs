// Generates the lists of settings in docs/configuration.md and the table of slash commands in docs/cli.md from the code, between
// their markers; --check fails if one differs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { itemLines, tableLines } from "./markdown-blocks.mjs";

const root = join(import.meta.dirname, "..");
const { settings, nestedKeys, sections, commands } = await loadTables();

const tables = [
  ["configuration.md", "nested keys", ["key", "expected", "sets"], nestedRows()],
  ["configuration.md", "flat keys", null, flatItems()],
  [
    "cli.md",
    "slash commands",
    ["command", "what it does"],
    commands.map(({ usage, summary, manual = summary }) => [code(usage), manual]),
  ],
];

const drifted = tables.filter((table) => !write(table));
if (process.argv.includes("--check")) {
  if (drifted.length > 0) fail(`${drifted.map(named).join(" and ")} differ from the code: npm run docs:reference`);
  process.stdout.write(`reference-tables: ${tables.length} tables, in sync with the code\n`);
} else {
  process.stdout.write(`reference-tables: ${drifted.length} of ${tables.length} tables rewritten\n`);
}

/** Returns whether the document already contains the table; without --check, writes it. */
function write([file, name, head, rows]) {
  if (rows.length === 0) fail(`found no ${name} in the code`);
  const document = join(root, "docs", file);
  const text = readFileSync(document, "utf8");
  const [start, end] = [`<!-- table: ${name} -->`, "<!-- table end -->"];
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) fail(`docs/${file} must hold ${start} and, after it, ${end}`);
  const lines =
    head === null
      ? ["", ...rows.flatMap(itemLines), ""]
      : tableLines([head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|"))));
  const written = `${text.slice(0, from + start.length)}\n${lines.join("\n")}\n${text.slice(to)}`;
  if (written !== text && !process.argv.includes("--check")) writeFileSync(document, written);
  return written === text;
}

function nestedRows() {
  return sorted([
    ...Object.entries(sections).map(([key, section]) => [
      code(key),
      section.hasSwitch ? "a section, `true` or `false`" : "a section",
      section.settings.map(code).join(", "),
    ]),
    ...Object.entries(nestedKeys).map(([key, rule]) => [code(key), rule.expected, rule.settings.map(code).join(", ")]),
  ]);
}

/** Returns one item for each setting; as a table, its rows would have 500 characters. */
function flatItems() {
  return Object.entries(settings)
    .map(([key, { expected, flag, environment = [], default: value, defaultText }]) => {
      const known = defaultText ?? (value === null ? "" : code(JSON.stringify(value)));
      const names = [...(flag === undefined ? [] : [`--${flag.name}`]), ...environment].map(code).join(", ");
      const details = [names, known === "" ? "" : `default: ${known}`].filter((part) => part !== "").join("; ");
      return `${code(key)}${details === "" ? "" : ` (${details})`}: ${expected}`;
    })
    .sort();
}

function sorted(rows) {
  return rows.sort(([one], [other]) => (one < other ? -1 : 1));
}

function code(text) {
  return `\`${text}\``;
}

function named([file, name]) {
  return `the ${name} of docs/${file}`;
}

/** Returns the tables of the code, which is TypeScript: it is compiled into a file of the cache, without packages. */
async function loadTables() {
  const outfile = join(root, ".cache", "reference-tables.mjs");
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    stdin: {
      contents: [
        'export { settings } from "./src/config/settings.ts";',
        'export { nestedKeys, sections } from "./src/config/nested-keys.ts";',
        'export { commands } from "./src/surfaces/terminal/commands/registry.ts";',
      ].join("\n"),
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.11",
    packages: "external",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

function fail(message) {
  process.stderr.write(`reference-tables: ${message}\n`);
  process.exit(1);
}
