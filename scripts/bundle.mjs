// Bundles the compiled program and the entries of the library with the packages that they load at once and that consist of
// many small modules: into dist/program/, which the command `palimpsest` runs, and into dist/library/. Reading and linking
// hundreds of modules took most of their start (ADR 18).
// Invariant: LICENSES.txt in each folder contains the licence of every bundled package, or the build fails.
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { licencesOf } from "./bundled-licences.mjs";

const root = join(import.meta.dirname, "..");
const {
  dependencies,
  peerDependencies,
  exports: subpaths,
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const packages = Object.keys({ ...dependencies, ...peerDependencies });

// `bundled`: direct dependencies that are bundled, with dependencies that only they need. All others stay packages.
const bundles = [
  {
    name: "program",
    entries: ["dist/bin/palimpsest.js"],
    bundled: [
      "@modelcontextprotocol/server",
      "aws4fetch",
      "chalk",
      "drizzle-orm",
      "get-east-asian-width",
      "ink",
      "jsonrepair",
      "postgres",
      "react",
      "sugar-high",
      "zod",
    ],
    // To set the name of each function takes 5 % of the time until the first frame.
    keepNames: false,
    // For CommonJS modules in the bundled packages.
    banner:
      'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);',
  },
  {
    name: "library",
    // All in one build: entries share their modules, so that an error has one class.
    entries: Object.values(subpaths)
      .filter((target) => typeof target === "object")
      .map(({ types }) => types.replace(/^\.\/(.*)\.d\.ts$/u, "$1.js")),
    bundled: ["drizzle-orm", "eventsource-parser", "jsonrepair", "zod"],
    // Users subclass its classes, whose names messages contain.
    keepNames: true,
    banner: "",
  },
  {
    // The process or thread that the other two start for a data folder.
    name: "engine",
    entries: ["serve-process", "serve-worker"].map((entry) => `dist/src/store/embedded/${entry}.js`),
    bundled: [],
    keepNames: false,
    banner: "",
  },
];

// Yoga fetches its WebAssembly from a `data:` URL, and the first `fetch` loads Node's HTTP client, which takes longer than all of
// Ink. Without `fetch`, Yoga decodes the same bytes itself.
const yogaWithoutFetch = {
  name: "yoga-without-fetch",
  setup({ onLoad }) {
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes("typeof fetch")) throw new Error(`bundle: ${path} no longer looks for fetch.`);
      return { contents: source.replaceAll("typeof fetch", '"undefined"') };
    });
  },
};

const inputsOf = {};
for (const bundle of bundles) Object.assign(inputsOf, await write(bundle));
// For tests of the modules that are loaded; not packed.
writeFileSync(join(root, "dist", ".bundle-inputs.json"), JSON.stringify(inputsOf));
chmodSync(join(root, "dist", "program", "palimpsest.js"), 0o755);

/** Returns the modules in each file of the bundle. */
async function write({ name, entries, bundled, keepNames, banner }) {
  const folder = join(root, "dist", name);
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: `dist/${name}`,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.11",
    // Ink loads the developer tools only if DEV is set.
    external: [...packages.filter((one) => !bundled.includes(one)), "react-devtools-core"],
    // React and its reconciler choose their build by it: the one for development takes several times as long.
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [yogaWithoutFetch],
    keepNames,
    minifyWhitespace: true,
    minifySyntax: true,
    // Node shows the line of an error that nothing has caught.
    lineLimit: 120,
    // The package contains the sources: dist/src.
    sourcemap: "linked",
    sourcesContent: false,
    banner: { js: banner },
    metafile: true,
    logLevel: "warning",
  });
  const files = Object.entries(metafile.outputs)
    .filter(([file]) => file.endsWith(".js"))
    .map(([file, { inputs }]) => [
      relative("dist", file),
      Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
    ]);
  writeFileSync(join(folder, "LICENSES.txt"), licencesOf(files.flatMap(([, inputs]) => inputs)));
  return Object.fromEntries(files);
}
