// Compiles every source file of some folders to a module of its own, without checking types: esbuild takes 1 s for what takes the
// TypeScript compiler 30 (check:types checks the types, `build.mjs --declarations` writes the declarations).
// Usage: node scripts/compile.mjs OUTPUT FOLDER…
// Invariant: each module keeps its name and its place; only the extension changes, also in imports. A module that is there already
// is not written again: processes may be starting from it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const [output, ...folders] = process.argv.slice(2);
const entryPoints = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  // The inspector is a page: `bundle-inspector.mjs` builds it.
  .filter((file) => /(?<!\.d)\.(tsx?|mts)$/u.test(file) && !file.startsWith(join("src", "surfaces", "inspector")));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints,
  outdir: output,
  outbase: ".",
  // Not `bundle`, which would rename classes.
  format: "esm",
  platform: "node",
  target: "node20.11",
  jsx: "automatic",
  write: false,
  logLevel: "warning",
});
for (const { path, text } of outputFiles) {
  const compiled = withCompiledImports(text);
  if (existsSync(path) && readFileSync(path, "utf8") === compiled) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, compiled);
}

/** Replaces the extension of relative imports, which esbuild leaves as it is unless it bundles. */
function withCompiledImports(text) {
  return text.replace(/(^(?:import|export|\}) ?[^"\n]*|\bimport\()"(\.[^"\n]*)\.tsx?"/gmu, '$1"$2.js"');
}
