// Preloaded into a program (`node --import`): writes what it loads, one URL or path a line, to the file in RECORD_MODULES.
// Invariant: sees ES modules by a loader hook, and what is required by the cache of CommonJS at the end.
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";

const file = process.env.RECORD_MODULES;
if (file === undefined) throw new TypeError("RECORD_MODULES must name a file");
register("./record-modules-hook.mjs", import.meta.url, { data: { file } });
process.on("exit", () => {
  appendFileSync(file, `${Object.keys(createRequire(import.meta.url).cache).join("\n")}\n`);
});
