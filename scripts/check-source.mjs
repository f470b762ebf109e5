// Checks rules of this repository that no linter has: names, opening comments, errors, and uses of the process.
// Prints file:line, the fault and what to do, and exits with 1. Usage: node scripts/check-source.mjs [folder]
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const codeFolders = ["src", "tools", "bin", "test", "bench", "examples", "scripts"];
const skipped = new Set(["node_modules", "dist", ".git", ".cache", "coverage", "fixtures"]);
const self = "scripts/check-source.mjs";

const bannedName = /^(utils?|helpers?|lib|common|misc|types|interfaces?|managers?|services?|data|info)$/u;
const exported =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/u;
const abbreviations = new Set(["msg", "opts", "ctx", "cfg", "mgr", "req", "res", "tmp", "util"]);

// Split, so that this file does not contain the words that it searches for.
const provenance = new RegExp(
  [
    "as an ai\\b",
    "language model,? i\\b",
    "claude code",
    "co-authored-by",
    "generated (?:by|with) (?:an? )?(?:ai|llm|claude|copilot|assistant)",
    "\\b(?:sub-?agent|orchestrator) (?:wrote|made|session)",
    "house-style\\.md",
    "/work/(?:main|shared)",
    "\\bthe brief\\b",
  ].join("|"),
  "iu",
);

const inProduct = (file) => /^(src|tools|bin)\//u.test(file);
const inRuntime = (file) => /^(src|tools)\//u.test(file);

/** A rule for single lines: its files, its pattern (for the line with or without its strings), and what to do. */
const lineRules = [
  {
    where: inProduct,
    pattern: /\bnew Error\(/u,
    advice: "a bare Error: throw one of the classes of src/base/errors.ts, with a code and what to do",
  },
  {
    where: (file) => file.startsWith("src/surfaces/inspector/"),
    pattern: /\b(?:(?:inner|outer)HTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|eval)\b|\bdocument\.write/u,
    advice: "makes elements or code of a text: everything that the inspector shows is untrusted, so render it as text",
  },
  {
    where: inRuntime,
    pattern: /\bprocess\.env\b/u,
    advice: "reads the environment: take the value as an argument; only bin/ reads process.env",
  },
  {
    where: (file) => inRuntime(file) && file !== "src/store/embedded/serve-process.ts",
    pattern: /\bprocess\.(exit|exitCode|abort)\b/u,
    advice: "ends the process: return or throw; only bin/ decides about exit codes",
  },
  {
    where: inRuntime,
    raw: true,
    pattern:
      /^(?!\s*(?:\/\/|\/?\*)).*(?<![`/@\w-])palimpsest (?:--?[a-z]|a(?:gents|pprovals|rchival|ttach)|con|doctor|forget|load|memory|models|optimize|reembed|schedule|sources)/u,
    advice:
      "a hint without backticks: write `palimpsest doctor`, so that the front ends name the command that was started",
  },
  {
    where: (file) => file.startsWith("test/"),
    pattern: /\bjest\.(unstable_)?(mock|doMock|mockModule|setMock)\b/u,
    advice: "mocks a module: pass a scripted port instead (test/support, or palimpsest/testing)",
  },
  {
    where: (file) => file.startsWith("test/"),
    pattern: /\b(?:it|test|describe)\.only\b|\bf(?:it|describe)\(/u,
    advice: "runs one test and silently skips all others: remove .only",
  },
  {
    where: () => true,
    pattern: /catch\s*(?:\([^)]*\)\s*)?\{\s*\}/u,
    advice: "swallows an error: translate it, add facts, clean up, or let it pass",
  },
  {
    where: () => true,
    pattern: /^\s*export \*/u,
    advice: "re-exports everything: name what is exported",
  },
  {
    where: () => true,
    raw: true,
    pattern: /^\s*(?:\/\/|\/?\*)\s*[=\-*#~─═]{4,}/u,
    advice: "a banner: a file that needs sections is two files",
  },
  {
    where: () => true,
    raw: true,
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\)|\s*#\d+)/u,
    advice: "a to-do without an issue: write TODO(#12) or do it now",
  },
];

const findings = [];
const report = (file, line, advice) => findings.push(`${file}:${line}: ${advice}`);

const code = codeFolders
  .flatMap((folder) => filesBelow(join(root, folder)))
  .filter((file) => /\.(tsx?|mjs|cjs|js)$/u.test(file));
for (const path of code) checkCode(relative(root, path).split(sep).join("/"), readFileSync(path, "utf8"));
for (const path of filesBelow(root)) {
  const file = relative(root, path).split(sep).join("/");
  if (/\.(tsx?|mjs|cjs|js|md|json|sh|yml|toml|sql)$|^\.ci\/|^LICENSE$/u.test(file) && file !== "package-lock.json") {
    checkText(file, readFileSync(path, "utf8"));
  }
}

if (code.length === 0) findings.push("check-source: found no code to look at");
const verdict = findings.length === 0 ? `${code.length} files` : `${findings.length} to mend`;
process.stdout.write([...findings, `check-source: ${verdict}\n`].join("\n"));
process.exitCode = findings.length === 0 ? 0 : 1;

function checkCode(file, text) {
  if (file === self) return;
  checkFileName(file);
  const lines = text.split("\n");
  const first = lines[0].startsWith("#!") ? 1 : 0;
  if (!/^\s*(\/\/|\/\*)/u.test(lines[first] ?? "")) {
    report(file, first + 1, "no opening comment: one to three sentences, what it is for and what it keeps true");
  }
  const bare = withoutComments(text).split("\n");
  for (const [index, line] of lines.entries()) {
    for (const { where, raw, pattern, advice } of lineRules) {
      if (where(file) && pattern.test(raw ? line : (bare[index] ?? ""))) report(file, index + 1, advice);
    }
    checkExport(file, index + 1, bare[index] ?? "");
  }
}

function checkFileName(file) {
  for (const part of file.split("/").slice(1)) {
    const name = part.replace(/(\.contract)?(\.test|\.config|\.d)?\.(tsx?|mjs|cjs|js)$/u, "");
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/u.test(name)) report(file, 1, `"${part}" is not kebab-case`);
    if (bannedName.test(name)) report(file, 1, `"${name}" says nothing: name the file after what it exports`);
    if (/-v\d+$/u.test(name)) report(file, 1, `"${name}" is a second generation: replace the first one`);
  }
}

function checkExport(file, line, text) {
  const name = exported.exec(text)?.[1];
  if (!name || !inProduct(file)) return;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[\s_]+/u);
  // As the last word of a name ("StepInfo", "AgentManager") or alone, these words describe no purpose.
  const last = words.at(-1);
  if (bannedName.test(last)) report(file, line, `"${name}" ends in "${last}": say what it is (docs/glossary.md)`);
  const short = words.find((word) => abbreviations.has(word));
  if (short) report(file, line, `"${name}" abbreviates ("${short}"): write the word`);
}

function checkText(file, text) {
  if (file === self) return;
  for (const [index, line] of text.split("\n").entries()) {
    const found = provenance.exec(line);
    if (found) report(file, index + 1, `"${found[0]}" tells how the project was made: tell what it is`);
  }
}

/** Returns the text with comments and string contents blanked and line breaks kept. Sufficient for these rules. */
function withoutComments(text) {
  const tokens =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/gu;
  return text.replaceAll(tokens, (token) => token.replaceAll(/[^\n]/gu, " "));
}

function filesBelow(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
  return entries
    .filter((entry) => !skipped.has(entry.name) && basename(entry.name) !== ".DS_Store")
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}
