#!/usr/bin/env node
// The executable of the command `palimpsest`. The program itself is main.ts.
// Invariant: with PALIMPSEST_DEBUG, source maps are enabled before Node loads any file with a source map.
if (process.env["PALIMPSEST_DEBUG"]) process.setSourceMapsEnabled(true);
await import("./main.ts");
