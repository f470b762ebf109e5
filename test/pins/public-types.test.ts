// The exported types, by entry. Types do not exist at run time, so they are read from the exporting files.
// The expected names are literal; the compiler checks that they exist.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expectedTypes } from "./public-type-names.ts";

const textOf = (entry: string): string => {
  const text = readFileSync(fileURLToPath(new URL(`../../src/exports/${entry}.ts`, import.meta.url)), "utf8");
  // A part of the entry in a file of its own.
  return text.replaceAll(/^export type \* from "\.\/([\w-]+)\.ts";$/gmu, (_, part: string) => textOf(part));
};

function exportedTypes(entry: string): readonly string[] {
  const groups = [...textOf(entry).matchAll(/^export (type )?\{([^{}]{1,4000})\} from /gmu)];
  return groups.flatMap(([, all, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && (all !== undefined || name.startsWith("type ")))
      .map((name) => name.replace(/^type /u, "").replace(/^\w+ as /u, "")),
  );
}

const entries = Object.keys(expectedTypes);

test("every entry of the package is listed", () => {
  const { exports } = JSON.parse(readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"));
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== "./package.json");
  expect(subpaths.map((subpath) => (subpath === "." ? "index" : subpath.slice(2))).sort()).toEqual(entries.toSorted());
});

test.each(entries)("%s consists of groups of names, each from its owner", (entry) => {
  const text = textOf(entry);
  expect(text.match(/^export /gmu)).toHaveLength(text.match(/^export (?:type )?\{[^{}]{1,4000}\} from /gmu)!.length);
});

test.each(entries)("%s exports these types and no others", (entry) => {
  expect([...exportedTypes(entry)].sort()).toEqual([...expectedTypes[entry]!].sort());
});
