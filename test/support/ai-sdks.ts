// The AI SDK in the versions to test: 6, and 7 where `AI_SDK_7` is the path of its module. It needs Node 22, so
// scripts/node-matrix.sh installs it and runs these tests with it.
import { pathToFileURL } from "node:url";
import * as six from "ai-6";

export type Sdk = typeof six;
const seven = process.env["AI_SDK_7"];

/** Both have the same functions; the types of the older one serve for both. */
export const sdks: readonly (readonly [version: "6" | "7", sdk: Sdk])[] = [
  ["6", six],
  ...(seven === undefined ? [] : [["7", (await import(pathToFileURL(seven).href)) as Sdk] as const]),
];
