// Loaded by NODE_OPTIONS into the programs and servers that tests start: V8 compiles WebAssembly only with its baseline compiler.
// Optimizing an engine that lives for a few seconds took half of the CPU time of its start (1.9 s, now 1.0 s; with initdb 5.9 s,
// now 3.4 s; PGlite 0.5.14, Node 20).
// Invariant: changes how fast the engine runs, and nothing that it does; not loaded into jest, whose engine lives for minutes.
const { setFlagsFromString } = require("node:v8");
const { isMainThread } = require("node:worker_threads");

// V8's flags are those of the process: a worker thread would change them for jest.
if (isMainThread) setFlagsFromString("--liftoff-only");
