// Compiles every source file to a module of its own in dist/, without checking types: esbuild takes 1 s for what takes the
// TypeScript compiler 30 (check:types checks the types, `build.mjs --declarations` writes the declarations).
// Invariant: each module keeps its name and its place; only the extension changes, also in imports.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const entryPoints = ["src", "tools", "bin"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  // The inspector is a page: `bundle-inspector.mjs` builds it.
  .filter((file) => /(?<!\.d)\.(ts|mts)$/u.test(file) && !file.startsWith(join("src", "inspector")));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints,
  outdir: "dist",
  outbase: ".",
  // Not `bundle`, which would rename classes.
  format: "esm",
  platform: "node",
  target: "node20.11",
  write: false,
  logLevel: "warning",
});
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withCompiledImports(text));
}

/** Replaces the extension of relative imports, which esbuild leaves as it is unless it bundles. */
function withCompiledImports(text) {
  return text.replace(/^((?:import|export|\}) ?[^"\n]*|.*\bimport\()"(\.[^"\n]*)\.ts"/gmu, '$1"$2.js"');
}
