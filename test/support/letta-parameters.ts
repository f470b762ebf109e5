// The parameters of each route as the official clients of Letta's API declare them.
// Invariant: read from the TypeScript client's own files, and from the table of the Python client's, which .ci/letta.sh compares
// with them; so a newer client is compared with what it has.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

export interface DocumentedRoute {
  readonly method: string;
  /** With `*` for parameters, without a slash at the end. */
  readonly path: string;
  readonly parameters: readonly string[];
}

const folder = path.join(packageRoot(), "node_modules", "@letta-ai", "letta-client", "resources");

/** Returns the routes of the Python client, as `documentedRoutes`. */
export function routesOfPython(): readonly DocumentedRoute[] {
  const table = JSON.parse(
    readFileSync(path.join(packageRoot(), "test", "letta", "parameters.json"), "utf8"),
  ) as Readonly<Record<string, readonly string[]>>;
  return Object.entries(table).map(([name, parameters]) => {
    const [method = "", at = ""] = name.split(" ");
    return { method, path: at, parameters };
  });
}

/** Returns the routes of the TypeScript client that take parameters besides those of their path. */
export function documentedRoutes(): readonly DocumentedRoute[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
  return files.flatMap((file) => {
    const types = readFileSync(path.join(folder, file), "utf8");
    const code = readFileSync(path.join(folder, file.replace(/\.d\.ts$/u, ".js")), "utf8");
    return functionsIn(code).flatMap(({ name, method, path: at }) => {
      const type = new RegExp(`^    ${name}\\([^\\n]*?(?:query|body|params)\\??: (\\w+Params)`, "mu").exec(types)?.[1];
      return type === undefined ? [] : [{ method, path: at, parameters: fieldsOf(types, type) }];
    });
  });
}

function functionsIn(code: string) {
  const pattern =
    /^    (\w+)\([^\n]*\) \{(?:(?!^    \}).)*?_client\s*\.?(get|post|put|patch|delete|getAPIList)\(.*?(\/v1\/[^`']*)[`']/gmsu;
  return [...code.matchAll(pattern)].map(([, name = "", method = "", at = ""]) => ({
    name,
    method: method === "getAPIList" ? "get" : method,
    path: at.replace(/\$\{[^}]*\}/gu, "*").replace(/\/$/u, ""),
  }));
}

/** Returns the names of the fields of a type, with those of pages. */
function fieldsOf(types: string, name: string): readonly string[] {
  const [, extended = "", body = ""] =
    new RegExp(`^export interface ${name} (?:extends (\\w+) )?\\{\\n(.*?)^\\}`, "msu").exec(types) ?? [];
  const own = [...body.matchAll(/^    (\w+)\??:/gmu)].map(([, field = ""]) => field);
  return extended.includes("Page") ? [...own, "after", "before", "limit", "order"] : own;
}
