// The library and the program as they are published: the entries of the package are bundles that share their modules, and no class
// of an error has another name than in its source, because an error has the name of its class, which logs and `--json` show.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packageRoot } from "../../src/base/package-root.ts";
import * as errors from "../../src/base/errors.ts";

const root = packageRoot();

interface PackageJson {
  readonly exports: Readonly<Record<string, string | Readonly<Record<"types" | "default", string>>>>;
}

const { exports: subpaths } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as PackageJson;
const entries = Object.entries(subpaths).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [[name, path.join(root, target.default), path.join(root, target.types)] as const],
);

/** What a new process prints that runs these statements. `loaded`: the modules that it loads. */
function run(script: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-library-"));
  const record = path.join(folder, "modules.txt");
  const preload = fileURLToPath(new URL("../support/record-modules.mjs", import.meta.url));
  const args = ["--import", preload, "--input-type=module", "-e", script];
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: folder, RECORD_MODULES: record };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8", cwd: folder });
  const loaded = existsSync(record) ? readFileSync(record, "utf8").split("\n") : [];
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return { printed: JSON.parse(stdout) as unknown, loaded: loaded.filter((url) => url.startsWith("file:")) };
}

const importOf = (file: string): string => `await import(${JSON.stringify(pathToFileURL(file).href)})`;

describe.each(entries)("the entry %s", (_, bundled, types) => {
  it("exports what its source exports, under the same names", () => {
    const compiled = types.replace(/\.d\.ts$/u, ".js");
    const { printed } = run(`
      const namesOf = (module) => Object.entries(module).map(([key, value]) => [key, typeof value, value?.name ?? null]);
      console.log(JSON.stringify([namesOf(${importOf(bundled)}), namesOf(${importOf(compiled)})]));
    `);
    const [ofBundle, ofSource] = printed as readonly [readonly unknown[], readonly unknown[]];
    expect(ofBundle.length).toBeGreaterThan(0);
    expect(ofBundle).toEqual(ofSource);
  });

  it("has a source map of files that are there", () => {
    const map = `${bundled}.map`;
    const { sources } = JSON.parse(readFileSync(map, "utf8")) as { readonly sources: readonly string[] };
    const files = sources.map((source) => path.resolve(path.dirname(map), source));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});

it("the program contains the production builds of React alone, whatever NODE_ENV is", () => {
  const bundles = JSON.parse(readFileSync(path.join(root, "dist", ".bundle-inputs.json"), "utf8")) as object;
  const inputs = [...new Set(Object.values(bundles).flat() as readonly string[])];
  const builds = inputs.filter((input) => /\/(?:react|react-reconciler|scheduler)\/cjs\//u.test(input));
  expect(builds.length).toBeGreaterThan(3);
  expect(builds.filter((input) => !input.endsWith(".production.js"))).toEqual([]);
});

/** 65 at the time of writing, of which most are chunks that lazily loaded parts share; 384 before the library was bundled. */
const maxModules = 65;

it("loads few modules, and no database, SDK or terminal", () => {
  const { loaded } = run(`${importOf(entries[0]![1])}; console.log(1);`);
  expect(loaded.length).toBeLessThanOrEqual(maxModules);
  expect(loaded.filter((url) => url.includes("/node_modules/"))).toEqual([]);
});

it("the client loads little, and nothing that browsers do not have", () => {
  const { loaded } = run(`${importOf(path.join(root, "dist", "library", "client.js"))}; console.log(1);`);
  const texts = loaded.map((url) => readFileSync(new URL(url), "utf8"));
  expect(texts.join("").length).toBeLessThan(20_000);
  expect(texts.filter((text) => /from ?"(?!\.\/chunk)|\bprocess\.|\bBuffer\.|node:/u.test(text))).toEqual([]);
});

it("has one class of an error in all entries", () => {
  const modules = entries.map(([, file]) => importOf(file)).join(", ");
  const { printed } = run(`
    const found = [${modules}].flatMap((module) => Object.entries(module).filter(([key]) => key === "RequestError"));
    console.log(JSON.stringify(new Set(found.map(([, value]) => value)).size));
  `);
  expect(printed).toBe(1);
});

it("answers a message in a store of its own", () => {
  const { printed } = run(`
    const { createRuntime } = ${importOf(entries[0]![1])};
    const runtime = await createRuntime({ dataDir: "data", model: "demo", embedder: null });
    const agent = await runtime.agents.open("main", { create: {} });
    let text = "";
    for await (const event of agent.send("My name is Ada.")) if (event.type === "turn-end") text = event.stopReason;
    await runtime.close();
    console.log(JSON.stringify(text));
  `);
  expect(printed).toBe("end-turn");
});

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
