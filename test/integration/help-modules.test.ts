// What the built program loads: help and the like must not pay for a terminal, a database or a model. It is a bundle, so
// each of its files stands for the modules and the packages that went into it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../src/base/package-root.ts";

const root = packageRoot();
const inputsFile = path.join(root, "dist", ".bundle-inputs.json");
const program = path.join(root, "dist", "program", "palimpsest.js");

/** Runs the program in an empty home folder and tells which npm packages and which files of its own it loaded. */
function packagesLoadedBy(...argv: string[]) {
  const home = mkdtempSync(path.join(tmpdir(), "palimpsest-modules-"));
  const record = path.join(home, "modules.txt");
  const preload = fileURLToPath(new URL("../support/record-modules.mjs", import.meta.url));
  const env = { PATH: process.env["PATH"], HOME: home, RECORD_MODULES: record };
  const { status, stdout } = spawnSync(process.execPath, ["--import", preload, program, ...argv], {
    env,
    encoding: "utf8",
  });
  const lines = existsSync(record) ? readFileSync(record, "utf8").split("\n") : [];
  rmSync(home, { recursive: true, force: true });
  const modules = lines.flatMap(modulesOf);
  const packages = modules.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(file)?.[1] ?? []);
  const files = modules.flatMap((file) => /(?:^|\/)dist\/(.+\.js)$/u.exec(file)?.[1] ?? []);
  return { status, stdout, packages: [...new Set(packages)], modules, files };
}

/** A file of the bundle as the modules in it; any other file as itself. */
function modulesOf(file: string): readonly string[] {
  const inputs = JSON.parse(readFileSync(inputsFile, "utf8")) as Readonly<Record<string, readonly string[]>>;
  const bundled = /\/dist\/(program\/.+\.js)$/u.exec(file)?.[1];
  if (bundled === undefined) return [file];
  const modules = inputs[bundled];
  if (modules === undefined) throw new Error(`${bundled} is not in ${inputsFile}`);
  return modules;
}

describe("the module graph", () => {
  it("was built", () => {
    // Without it the tests below would be about nothing: `npm test` builds first.
    expect(existsSync(program)).toBe(true);
  });

  it.each([["--help"], ["--version"], ["help", "memory"], ["no-such-command"]])(
    "loads no package at all for %s %s",
    (...argv) => {
      const loaded = packagesLoadedBy(...argv);
      expect(loaded.packages).toEqual([]);
      expect(loaded.files).toContain("src/surfaces/cli/run-cli.js");
      // The table of settings has the words of their flags: what reads values by it is not loaded.
      const own = loaded.files.filter((file) => !/src\/config\/settings(\.js|\/)/u.test(file));
      expect(own.filter((file) => /src\/(runtime|config|surfaces\/terminal|store|model|agent)\b/u.test(file))).toEqual(
        [],
      );
    },
  );

  it("loads only zod if only the configuration is needed", () => {
    for (const embedding of ["local/use-lite", "openai/text-embedding-3-small", "openai/nomic-embed-text"]) {
      const loaded = packagesLoadedBy("models", "--json", "--embedding", embedding);
      expect(loaded).toMatchObject({ status: 0, packages: ["zod"] });
      // Code that passes zod on as a whole puts its texts in 60 languages into the bundle: 500 kB for every start.
      const languages = loaded.modules.filter((file) => /zod\/v4\/locales\/(?!en\.js$)/u.test(file));
      expect(languages).toEqual([]);
      const told = JSON.parse(loaded.stdout) as { readonly embedders: readonly object[] };
      expect(told).toMatchObject({ model: "demo", embedding });
      expect(told.embedders).toContainEqual(expect.objectContaining({ name: embedding, isUsed: true }));
    }
  });

  it("starts the engine before the rest is loaded", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-engine-"));
    // Not a database, so that the start fails.
    mkdirSync(path.join(folder, "pgdata"));
    writeFileSync(path.join(folder, "pgdata", "notes.txt"), "");
    const { status, files } = packagesLoadedBy("mcp", "--data-dir", folder);
    rmSync(folder, { recursive: true, force: true });
    expect(status).toBe(1);
    const first = files.indexOf("src/store/embedded/start-server.js");
    expect(first).toBeGreaterThan(0);
    for (const later of [
      "src/runtime/compose/compose.js",
      "src/store/open-store.js",
      "src/surfaces/mcp/serve-memory.js",
    ])
      expect(files.indexOf(later)).toBeGreaterThan(first);
  });

  it("loads a database driver for a message, but no terminal interface", () => {
    const loaded = packagesLoadedBy("-p", "Hello", "--database-url", "postgres://nobody@127.0.0.1:1/none");
    expect(loaded.status).toBe(1);
    expect(loaded.packages).toContain("postgres");
    expect(loaded.packages.filter((name) => /^(marked|sugar-high)$/u.test(name))).toEqual([]);
    expect(loaded.files.filter((file) => file.includes("src/surfaces/terminal/"))).toEqual([]);
  });
});
