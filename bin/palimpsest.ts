#!/usr/bin/env node
// The file that a shell starts. The program itself is main.ts.
// Invariant: with PALIMPSEST_DEBUG, Node reads source maps, which is enabled before any file that has one is loaded.
if (process.env["PALIMPSEST_DEBUG"]) process.setSourceMapsEnabled(true);
await import("./main.ts");
