// Checks that the repository has what its users ordered: the entries and packages listed in AGENTS.md, each package in
// package.json and imported (jest: run by a script). Prints each exception with its reason.
// Usage: node scripts/check-ordered.mjs [folder]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const rules = readFileSync(join(root, "AGENTS.md"), "utf8");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const installed = { ...manifest.dependencies, ...manifest.devDependencies };
const codeFolders = ["src", "tools", "bin", "test"];

const entries = listed("Entries");
const packages = listed("Packages");
const exceptions = new Map(
  [...rules.matchAll(/^- Not used yet: `([^`]+)`, because ([^.]+)\.$/gmu)].map(([, name, reason]) => [name, reason]),
);
const imported = importedPackages();
const scripts = Object.values(manifest.scripts).join("\n");
const isUsed = (name) => imported.has(name) || scripts.includes(`node_modules/${name}/`);

const findings = [
  ...entries.filter((name) => !existsSync(join(root, name))).map((name) => `${name} was ordered and is missing`),
  ...packages.filter((name) => !exceptions.has(name)).flatMap(faultsOf),
  ...[...exceptions.keys()]
    .filter((name) => !packages.includes(name) || isUsed(name))
    .map((name) => `${name} is used or was not ordered: remove its exception from AGENTS.md`),
];
if (entries.length === 0 || packages.length === 0) {
  findings.push('AGENTS.md has no list "- Entries: …" or "- Packages: …"');
}
for (const [name, reason] of exceptions) process.stdout.write(`check-ordered: ${name}: not used yet, ${reason}\n`);
for (const finding of findings) process.stderr.write(`check-ordered: ${finding}\n`);
if (findings.length === 0)
  process.stdout.write(`check-ordered: ${entries.length} entries, ${packages.length} packages\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function listed(title) {
  const [, names = ""] = new RegExp(`^- ${title}: (.+(?:\n  .+)*)$`, "mu").exec(rules) ?? [];
  return [...names.matchAll(/`([^`]+)`/gu)].map(([, name]) => name);
}

function faultsOf(name) {
  if (!(name in installed)) return [`${name} was ordered and is not in package.json`];
  return isUsed(name) ? [] : [`${name} was ordered and no file in ${codeFolders.join(", ")} imports it`];
}

/** Returns the names of all packages that the code imports, statically or by `import()`. */
function importedPackages() {
  const names = new Set();
  const specifier = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*"((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"]*)?"/gu;
  for (const file of codeFolders.flatMap(filesBelow)) {
    for (const [, name] of readFileSync(file, "utf8").matchAll(specifier)) names.add(name);
  }
  return names;
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(tsx?|mjs|cjs|js)$/u.test(name) && !name.startsWith("fixtures/"))
    .map((name) => join(root, folder, name));
}
