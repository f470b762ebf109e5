// The program as it is published: a bundle in which no class of an error has another name than in its source, because an
// error has the name of its class, which logs and `--json` show.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as errors from "../../src/base/errors.ts";
import { packageRoot } from "../../src/base/package-root.ts";

const folder = path.join(packageRoot(), "dist", "program");
const program = readdirSync(folder)
  .filter((file) => file.endsWith(".js"))
  .map((file) => readFileSync(path.join(folder, file), "utf8"))
  .join("\n");
const names = Object.values(errors).flatMap((one) =>
  typeof one === "function" && one.prototype instanceof Error ? [one.name] : [],
);

/** The names that the classes of this error have in the bundle: `var A=class extends B`, `var A=class _A extends B`, or `class A2 extends B`. */
function namesInBundle(name: string): (string | undefined)[] {
  const definition = new RegExp(
    `\\b(_?${name}\\d*)=class(?:\\s+(\\w+))?\\s+extends|[^=]\\bclass\\s+(_?${name}\\d*)\\s+extends`,
    "gu",
  );
  return [...program.matchAll(definition)].map(([, variable, own, declared]) => declared ?? own ?? variable);
}

test.each(names)("%s has its name", (name) => {
  expect(namesInBundle(name)).toEqual([name]);
});
