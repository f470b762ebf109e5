#!/usr/bin/env node
// What a shell starts. The program itself is main.ts.
// Invariant: where stacks are asked for, Node is told to read source maps before it loads anything that has one.
if (process.env["PALIMPSEST_DEBUG"]) process.setSourceMapsEnabled(true);
await import("./main.ts");
