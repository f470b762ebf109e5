// Collects the licences of packages whose code is in a bundle.
// Invariant: every bundled package has its text in the result, or this throws.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Returns the text of LICENSES.txt for a bundle of these files. */
export function licencesOf(files) {
  const texts = new Map();
  for (const folder of [...new Set(files.flatMap(packageOf))].sort()) {
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

/** Returns an array with the folder of the file's package; empty for the project's own files. */
function packageOf(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file) ?? [];
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
