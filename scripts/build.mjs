// Builds dist/: compiles, bundles the command and the library, and prepares the data folder that a first start unpacks. With
// --declarations, also the declarations of the library's types, which the program does not need and which take longest.
// Invariant: if no input has changed, it does nothing and takes a few dozen milliseconds.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const sourceFolders = ["src", "tools", "bin"];
const settings = ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts/build.mjs"];
const bundlers = ["scripts/bundle-inspector.mjs", "scripts/bundled-licences.mjs", "scripts/licences"];
// What the page of the inspector consists of: `check-inspector.mjs` refuses other modules.
const pageSources = ["src/surfaces/inspector", "src/surfaces/client", "src/surfaces/markdown", "src/base"];
const isPrepare = process.argv.includes("--prepare");

// The steps with their inputs. A stamp in dist/ contains the hash of the inputs, so removing dist/ runs all steps again.
const steps = [
  {
    name: "compile",
    inputs: [...sourceFolders, ...settings, "scripts/compile.mjs"],
    output: "bin/palimpsest.js",
    run: compile,
  },
  {
    name: "bundle",
    inputs: [...sourceFolders, ...settings, "package-lock.json", ...bundlers, "scripts/bundle.mjs"],
    output: "program/palimpsest.js",
    run: () => run("the bundler", ["scripts/bundle.mjs"]),
  },
  {
    name: "bundle the inspector",
    inputs: [...pageSources, "package-lock.json", ...bundlers],
    output: "inspector/index.html",
    run: () => run("the bundler of the inspector", ["scripts/bundle-inspector.mjs"]),
  },
  {
    name: "prepare the data folder",
    inputs: ["src/store", "src/base", "drizzle", "package-lock.json"],
    output: "prepared/pgdata.tar.gz",
    run: prepareDataFolder,
  },
  ...(wantsDeclarations()
    ? [
        {
          name: "write declarations",
          inputs: [...sourceFolders, ...settings, "package-lock.json"],
          output: "src/exports/index.d.ts",
          run: writeDeclarations,
        },
      ]
    : []),
];

if (isPrepare && !existsSync(join(root, "node_modules", "esbuild"))) {
  // `npm ci --omit=dev` in a clone installs no compiler, so there is nothing to do.
  say("no compiler installed (development packages were left out): dist/ is not built\n");
} else {
  for (const step of steps) runWhenStale(step);
}

/** A project that installs this one from git packs what `prepare` built: npm runs it outside of this folder then. */
function wantsDeclarations() {
  const startedIn = process.env.INIT_CWD ?? root;
  return process.argv.includes("--declarations") || (isPrepare && relative(root, startedIn).startsWith(".."));
}

function runWhenStale(step) {
  const stamp = join(dist, `.stamp-${step.name.replaceAll(" ", "-")}`);
  const wanted = fingerprint(step.inputs);
  const output = join(dist, step.output);
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const started = Date.now();
  rmSync(stamp, { force: true });
  say(`${step.name} … `);
  step.run();
  if (!existsSync(output)) fail(`${step.name} ended well, but dist/${step.output} is not there`);
  writeFileSync(stamp, wanted);
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

function compile() {
  removeOrphans();
  run("the compiler", ["scripts/compile.mjs", "dist", ...sourceFolders]);
}

function writeDeclarations() {
  // The incremental compiler does not write a file again that it has already written.
  if (!existsSync(join(dist, "src", "exports", "index.d.ts"))) rmSync(join(dist, ".tsbuildinfo"), { force: true });
  run("the TypeScript compiler", [
    join(root, "node_modules", "typescript", "lib", "tsc.js"),
    "-p",
    "tsconfig.build.json",
  ]);
}

function prepareDataFolder() {
  const entry = join(dist, "src", "store", "embedded", "prepare-folder-main.js");
  if (!existsSync(entry)) fail("dist/src/store/embedded/prepare-folder-main.js was not built: is its source there?");
  run("the preparation of the data folder", [entry]);
}

/** Removes compiled files without a source, which could otherwise be imported and would be packed. */
function removeOrphans() {
  for (const folder of sourceFolders) {
    for (const file of filesBelow(join(dist, folder))) {
      const source = join(root, relative(dist, file)).replace(/(\.d\.ts|\.js)$/u, "");
      if (/\.(js|d\.ts)$/u.test(file) && ![".ts", ".tsx", ".mts"].some((end) => existsSync(source + end))) rmSync(file);
    }
  }
}

function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const file of filesBelow(join(root, input))) {
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
      .sort();
  } catch (error) {
    if (error.code === "ENOTDIR") return [path];
    throw error;
  }
}

function run(what, args) {
  // The child's output goes to stderr: `npm start -- -p …` keeps stdout for the reply.
  const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`${what} failed (${signal ?? `exit code ${status}`})`);
}

function say(text) {
  process.stderr.write(`build: ${text}`);
}

function fail(text) {
  process.stderr.write("\n");
  say(`${text}\n`);
  process.exit(1);
}
