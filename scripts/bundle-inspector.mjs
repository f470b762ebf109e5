// Builds the page of the inspector into dist/inspector/: index.html, and scripts and styles with the hash of their content in
// their names, so that browsers can keep them for ever.
// Invariant: the page refers to nothing outside of its folder, and LICENSES.txt has the licence of every bundled package.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { licencesOf } from "./bundled-licences.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, "dist", "inspector");

rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    "src/surfaces/inspector/main.tsx",
    "src/surfaces/inspector/style.css",
    "src/surfaces/inspector/icon.svg",
  ],
  outdir: "dist/inspector/assets",
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: ["es2022", "chrome115", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [{ name: "lexer-of-marked", setup: ({ onLoad }) => onLoad({ filter: /marked\.esm\.js$/ }, lexerOf) }],
  loader: { ".svg": "copy" },
  tsconfigRaw: {},
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
const assets = Object.entries(metafile.outputs);
const nameOf = (ending) => {
  const [found] = assets.find(([file]) => file.endsWith(ending)) ?? [];
  if (found === undefined) throw new Error(`The bundle of the inspector has no file that ends with ${ending}.`);
  return basename(found);
};
const names = { SCRIPT: nameOf(".js"), STYLE: nameOf(".css"), ICON: nameOf(".svg") };
const page = readFileSync(join(root, "src", "surfaces", "inspector", "page.html"), "utf8");
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, "index.html"),
  page.replaceAll(/\{(\w+)\}/gu, (_, name) => names[name]),
);
const inputs = assets.flatMap(([, output]) => Object.keys(output.inputs).filter((file) => isUsed(output, file)));
writeFileSync(join(folder, "LICENSES.txt"), licencesOf(inputs));
// For the check of the modules in the page; not packed.
writeFileSync(join(root, "dist", ".inspector-inputs.json"), JSON.stringify(inputs));

/** Returns marked without its renderer of HTML, which the page does not use, and which marked creates as it is loaded. */
function lexerOf({ path }) {
  const parts = /^(.*)var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \2\.parse\(.*?\b(\w+) as Lexer\b/su.exec(
    readFileSync(path, "utf8"),
  );
  if (parts === null)
    throw new Error(`${path} does not end as expected. Correct lexerOf in scripts/bundle-inspector.mjs.`);
  return { contents: `${parts[1]}export{${parts[3]} as Lexer};` };
}

function isUsed({ inputs: used }, file) {
  return used[file].bytesInOutput > 0;
}
