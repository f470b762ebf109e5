#!/usr/bin/env node
// The file that a shell starts. The program itself is main.ts.
// Invariant: with PALIMPSEST_DEBUG, source maps are enabled before Node loads any file that has one.
if (process.env["PALIMPSEST_DEBUG"]) process.setSourceMapsEnabled(true);
await import("./main.ts");
