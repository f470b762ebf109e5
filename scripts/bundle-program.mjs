// Bundles the compiled program with the packages that its first frame needs and that consist of many small modules, into
// dist/program/, which the command `palimpsest` runs. Reading and linking 1,400 modules took most of its start (ADR 18).
// Invariant: dist/program/LICENSES.txt contains the licence of every bundled package, or the build fails.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist", "program");
/** Direct dependencies that are bundled, with dependencies that only they need. All others stay packages. */
const takenIn = ["drizzle-orm", "get-east-asian-width", "ink", "react", "zod"];

const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const left = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !takenIn.includes(name));

rmSync(program, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["dist/bin/palimpsest.js"],
  outdir: "dist/program",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.11",
  // The last is Ink's inspector: Ink imports it only if DEV is "true", and works without it.
  external: [...left, "react-devtools-core"],
  // Errors have the name of their class.
  keepNames: true,
  // The package contains the sources: dist/src.
  sourcemap: "linked",
  sourcesContent: false,
  // React's production build, whatever the user's NODE_ENV is.
  define: { "process.env.NODE_ENV": '"production"' },
  // For CommonJS modules in the bundled packages.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);',
  },
  metafile: true,
  logLevel: "warning",
});

const inputsOf = Object.fromEntries(
  Object.entries(metafile.outputs)
    .filter(([file]) => file.endsWith(".js"))
    .map(([file, { inputs }]) => [
      relative("dist", file),
      Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0),
    ]),
);
writeFileSync(join(program, "LICENSES.txt"), licences(new Set(Object.values(inputsOf).flat().flatMap(packageOf))));
// For tests of the modules that a command loads; not packed.
writeFileSync(join(root, "dist", ".program-inputs.json"), JSON.stringify(inputsOf));
chmodSync(join(program, "palimpsest.js"), 0o755);

/** Returns an array with the folder of the file's package; empty for the project's own files. */
function packageOf(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file) ?? [];
}

function licences(folders) {
  const texts = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const text = licenceFiles(join(root, folder)) || licenceOfOurs(name);
    if (text === "")
      throw new Error(`${folder} has no file with its licence. Put the text into scripts/licences/${name}.txt.`);
    texts.set(`${name} ${version} (${license})`, text);
  }
  const parts = [...texts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, text]) => `${title}\n\n${text}\n`);
  return ["The files in this folder hold code of these packages, each under its own licence.\n", ...parts].join(
    `\n${"-".repeat(72)}\n\n`,
  );
}

function licenceFiles(folder) {
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)\b/iu.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
    .join("\n\n");
}

/** The licence texts of packages that name a licence without containing its text. */
function licenceOfOurs(name) {
  const file = join(root, "scripts", "licences", `${name}.txt`);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}
