// The loader hook of record-modules.mjs; runs in the loader's own thread.
import { appendFileSync } from "node:fs";

let file;

export function initialize(options) {
  file = options.file;
}

export async function load(url, context, nextLoad) {
  appendFileSync(file, `${url}\n`);
  return nextLoad(url, context);
}
