// The environment of each test file: Node's, which keeps the embedded engine from file to file and takes storages back.
// Invariant: no AsyncLocalStorage that was used in a file is still in use after it, and the embedded engine's program
// stays compiled for as long as the process of the tests runs. Files reach the shared engine as the global `sharedEngine`.
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestEnvironment } from "jest-environment-node";
import { giveBackEngine, giveUpEngine, takeEngine } from "./shared-engine.mjs";

// V8 gives the same code to whoever compiles the same program while somebody holds it. Compiling it for every database, and
// optimizing it again with use, took 1 s of CPU time each (PGlite 0.5.14, Node 20).
const engine = join(dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite")), "pglite.wasm");
let compiledEngine;

// Inherited by the processes that tests start.
process.env.NODE_OPTIONS = `--require ${JSON.stringify(fileURLToPath(new URL("baseline-wasm.cjs", import.meta.url)))}`;

export default class TestFileEnvironment extends TestEnvironment {
  #used = new Set();
  #methods = {};

  async setup() {
    await super.setup();
    compiledEngine ??= await WebAssembly.compile(readFileSync(engine));
    this.global.sharedEngine = { takeEngine, giveBackEngine, giveUpEngine };
    for (const name of ["run", "enterWith"]) this.#watch(name);
  }

  async teardown() {
    Object.assign(AsyncLocalStorage.prototype, this.#methods);
    // Node 20 and 22 carry every storage that was ever used along with every promise, until it is disabled. Jest makes one
    // for each file, and disables none (30.5.2): after 60 files a promise took a hundred times as long.
    for (const storage of this.#used) storage.disable();
    await super.teardown();
  }

  #watch(name) {
    const used = this.#used;
    const method = AsyncLocalStorage.prototype[name];
    this.#methods[name] = method;
    AsyncLocalStorage.prototype[name] = function (...parameters) {
      used.add(this);
      return method.apply(this, parameters);
    };
  }
}
