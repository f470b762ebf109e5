// Checks that each code block of README.md and docs/ is run or type-checked somewhere: npm run check:blocks
// Copied blocks run where they come from, `sh` blocks in test/integration/guides.test.ts; `ts`, `js` and `json` are checked here. A block of
// another language needs `<!-- not run: REASON -->` above it, and the reasons are printed. Text without a language is no code.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".cache", "blocks");
const documents = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((place) =>
    readdirSync(join(root, place))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${place}/${file}`),
  ),
];
/** Languages of output and diagrams. */
const texts = ["", "txt", "text", "mermaid"];
const counts = { copied: 0, "run by a test": 0, "type-checked": 0, parsed: 0, "not run": 0 };
const problems = [];
/** Files of blocks, with the place of each block. */
const places = new Map();

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const document of documents) {
  const text = readFileSync(join(root, document), "utf8");
  for (const block of text.matchAll(
    /(?:^ *<!-- (?<marker>snippet|not run): (?<reason>[^\n]*?) -->\n+)?^ *```(?<language>\w*)\n(?<code>[\s\S]*?)^ *```$/gmu,
  )) {
    const fence = text.slice(0, block.index + block[0].indexOf("```")).split("\n").length;
    check(block.groups, { document, place: `${document}:${fence}` });
  }
}
checkTypes();
for (const [kind, count] of Object.entries(counts)) if (count === 0) problems.push(`found no block that is ${kind}`);
const summary = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
process.stdout.write(`check-blocks: ${summary.join(", ")}\n`);
for (const problem of problems) process.stderr.write(`check-blocks: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function check({ marker, reason, language, code }, { document, place }) {
  if (marker === "snippet") counts.copied += 1;
  else if (marker !== undefined) {
    counts["not run"] += 1;
    process.stdout.write(`check-blocks: ${place} is not run: ${reason}\n`);
  } else if (texts.includes(language)) return;
  else if (language === "sh" && document !== "README.md") counts["run by a test"] += 1;
  else if (language === "ts" || language === "js") {
    const file = `${place.replaceAll(/\W/gu, "-")}.${language}`;
    places.set(file, place);
    writeFileSync(join(folder, file), `${code}\nexport {};\n`);
    counts["type-checked"] += 1;
  } else if (language === "json") {
    counts.parsed += 1;
    // One value, or one on each line.
    const isLines = code
      .trim()
      .split("\n")
      .every((line) => line.startsWith("{") && line.endsWith("}"));
    try {
      for (const value of isLines ? code.trim().split("\n") : [code]) JSON.parse(value);
    } catch (error) {
      problems.push(`${place}: ${error.message}`);
    }
  } else problems.push(`${place}: nothing runs a block of "${language}": use sh, or say why above it`);
}

/** Type-checks the written blocks, with the names of test/fixtures/block-names.d.ts. */
function checkTypes() {
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      rootDir: "../..",
      types: ["node"],
      allowJs: true,
      noUncheckedIndexedAccess: false,
      noUnusedLocals: false,
      noPropertyAccessFromIndexSignature: false,
    },
    include: ["*", "../../test/fixtures/block-names.d.ts"],
    exclude: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules", "typescript", "lib", "tsc.js");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { cwd: folder, encoding: "utf8" });
  for (const line of stdout.split("\n").filter((each) => each !== "")) {
    const [, file, lineInBlock, fault] = /^([\w.-]+)\((\d+),\d+\): (.*)$/u.exec(line) ?? [];
    problems.push(file === undefined ? line : `${places.get(file)}, line ${lineInBlock} of the block: ${fault}`);
  }
}
