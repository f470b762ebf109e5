// Generates the catalogue of errors in docs/errors.md from src/base/errors.ts, between its markers; --check fails if they differ.
// src/base/error-codes.ts has the meaning of each code, src/base/errors.ts its class, and this file the recipients and the exit codes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableLines } from "./markdown-blocks.mjs";

const root = join(import.meta.dirname, "..");
const document = join(root, "docs", "errors.md");
const start = "<!-- errors:start -->";
const end = "<!-- errors:end -->";

/** A base class, and the heading of its errors, which names their recipient. In the order of the document. */
const groups = [
  ["ConfigError", "Configuration: for the person who starts the program"],
  ["RequestError", "Requests: for the caller"],
  ["DefinitionError", "Definitions: for the author of the tool or the memory class"],
  ["ModelError", "Models: for the operator of the agent"],
  ["EmbeddingError", "Embeddings: for the operator of the agent"],
  ["StoreError", "The store: for the operator of the database"],
  ["ToolError", "Tools: for the model"],
];

const source = readFileSync(join(root, "src", "base", "errors.ts"), "utf8");
const codes = codesOf(readFileSync(join(root, "src", "base", "error-codes.ts"), "utf8"));
const classes = classesOf(source);
const text = readFileSync(document, "utf8");
const from = text.indexOf(start);
const to = text.indexOf(end);
if (from < 0 || to < from) fail(`docs/errors.md must contain ${start} and, after it, ${end}`);
if (codes.length === 0) fail("found no codes in src/base/error-codes.ts: was `errorCodes` moved?");

const sections = groups.map(([group, title]) => sectionOf(group, title));
const written = `${text.slice(0, from + start.length)}\n${sections.join("\n\n")}\n${text.slice(to)}`;

if (process.argv.includes("--check")) {
  if (written !== text) fail("docs/errors.md differs from src/base/errors.ts: node scripts/errors-catalogue.mjs");
  process.stdout.write(`errors-catalogue: ${codes.length} codes, in sync with src/base/errors.ts\n`);
} else {
  writeFileSync(document, written);
  process.stdout.write(`errors-catalogue: ${codes.length} codes written\n`);
}

/** Returns the codes with their meanings, in the order of the catalogue. */
function codesOf(file) {
  const [, body = ""] = /export const errorCodes = \{\n([\s\S]*?)\n\} as const;/u.exec(file) ?? [];
  return [...body.matchAll(/^ {2}([a-z_]+):\s+"([^"]*)",$/gmu)].map(([, code, meaning]) => ({ code, meaning }));
}

/** Returns each class with its base class and the codes that its source contains. */
function classesOf(file) {
  const found = file.matchAll(/^export (?:abstract )?class (\w+) extends (\w+) \{(\}|[\s\S]*?^\})/gmu);
  return [...found].map(([, name, parent, body]) => ({
    name,
    parent,
    codes: [...body.matchAll(/"([a-z]+(?:_[a-z]+)+)"/gu)].map(([, code]) => code),
    isRetryable: body.includes("retryable: true"),
  }));
}

function sectionOf(group, title) {
  const members = classes.filter(({ name, parent }) => name === group || parent === group);
  const rows = codes.flatMap(({ code, meaning }) => {
    const owner = ownerOf(code);
    return members.includes(owner) ? [rowOf({ code, meaning, owner, group })] : [];
  });
  if (rows.length === 0) fail(`no code of src/base/errors.ts belongs to ${group}`);
  const retry = group === "ModelError" ? ["retried"] : [];
  return [`### ${title}`, "", ...tableLines([["code", "class", ...retry, "exit code", "what it means"], ...rows])].join(
    "\n",
  );
}

function rowOf({ code, meaning, owner, group }) {
  const retry = group === "ModelError" ? [owner.isRetryable ? "yes" : "no"] : [];
  return [`\`${code}\``, `\`${owner.name}\``, ...retry, String(exitCodeOf(code, owner)), meaning];
}

/** Returns the class that contains the code. RequestError accepts any code, so it has those that no other class contains. */
function ownerOf(code) {
  const owner = classes.find((candidate) => candidate.codes.includes(code));
  return owner ?? classes.find(({ name }) => name === "RequestError");
}

/** Returns the exit code, as in src/surfaces/cli/failure.ts. */
function exitCodeOf(code, owner) {
  if (owner.name === "ConfigError") return 2;
  // Never thrown: it is part of `turn-end`, for which src/surfaces/cli/headless/turn-verdict.ts returns the exit code.
  if (code === "turn_budget_exceeded") return 3;
  if (code === "user_limit_reached") return 3;
  return code === "agent_busy" ? 4 : 1;
}

function fail(message) {
  process.stderr.write(`errors-catalogue: ${message}\n`);
  process.exit(1);
}
