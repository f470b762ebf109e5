// Checks the built page of the inspector: its size, the modules in it, and that it has no inline code and no address of others.
// Prints each fault and exits with 1.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const folder = join(root, "dist", "inspector");
/** Of all files that a browser loads, in bytes after gzip. */
const maxBytes = 90_000;
const allowedModules =
  /^(?:src\/(?:base\/|surfaces\/(?:client|inspector|markdown)\/|agent\/fold-turn\.ts$)|node_modules\/(?:preact|eventsource-parser|marked)\/)/u;
/** Names of namespaces, which nothing loads. */
const neverLoaded = /http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|1999\/(?:xhtml|xlink)|2000\/svg)/gu;

const files = ["index.html", ...readdirSync(join(folder, "assets")).map((file) => join("assets", file))];
const texts = files.map((file) => [file, readFileSync(join(folder, file), "utf8")]);
const bytes = texts.reduce((sum, [, text]) => sum + gzipSync(text).byteLength, 0);
const page = texts[0][1];
const inputs = JSON.parse(readFileSync(join(root, "dist", ".inspector-inputs.json"), "utf8"));

const faults = [
  ...(bytes > maxBytes ? [`${bytes} bytes after gzip, and the limit is ${maxBytes}: remove what is not needed`] : []),
  ...inputs.filter((file) => !allowedModules.test(file)).map((file) => `${file} is in the page: import its types only`),
  ...[...page.matchAll(/<script(?![^>]*\bsrc=)|<style\b|\bstyle=|\son\w+=/gu)].map(
    ([found]) => `index.html has inline code or style (${found}), which its security policy refuses`,
  ),
  ...texts
    .filter(([, text]) => /\bhttps?:\/\/[\w[]|["'(]\/\/[a-z]/u.test(text.replaceAll(neverLoaded, "")))
    .map(([file]) => `${file} has the address of another host: the page must work offline`),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`check-inspector: ${files.length} files, ${bytes} bytes after gzip, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
