// What the built program loads: help and the like must not pay for a terminal, a database or a model.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../src/base/package-root.ts";

const root = packageRoot();
const program = path.join(root, "dist", "bin", "palimpsest.js");

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
  const packages = lines.flatMap((line) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(line)?.[1] ?? []);
  const files = lines.flatMap((line) => /\/dist\/(.+\.js)$/u.exec(line)?.[1] ?? []);
  return { status, stdout, packages: [...new Set(packages)], files };
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
      expect(loaded.files).toContain("src/cli/run-cli.js");
      expect(loaded.files.filter((file) => /src\/(compose|config|tui|store|llm|agent)\b/u.test(file))).toEqual([]);
    },
  );

  it("loads zod, and it alone, where only the configuration is asked for", () => {
    for (const embedding of ["local/use-lite", "openai/text-embedding-3-small", "openai/nomic-embed-text"]) {
      const loaded = packagesLoadedBy("models", "--json", "--embedding", embedding);
      expect(loaded).toMatchObject({ status: 0, packages: ["zod"] });
      const told = JSON.parse(loaded.stdout) as { readonly embedders: readonly object[] };
      expect(told).toMatchObject({ model: "demo", embedding });
      expect(told.embedders).toContainEqual(expect.objectContaining({ name: embedding, isUsed: true }));
    }
  });

  it("loads a database driver for a message, but no terminal interface", () => {
    const loaded = packagesLoadedBy("-p", "Hello", "--database-url", "postgres://nobody@127.0.0.1:1/none");
    expect(loaded.status).toBe(1);
    expect(loaded.packages).toContain("postgres");
    expect(loaded.packages.filter((name) => /^(ink|react|yoga-layout)$/u.test(name))).toEqual([]);
    expect(loaded.files.filter((file) => file.includes("src/tui/"))).toEqual([]);
  });
});
