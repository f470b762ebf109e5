// The log of `palimpsest serve`: one line of JSON on stderr for each request, failure and event of the server.
// Invariant: each line has `time`, `level` and `message`. With `--quiet`, only errors are written.
import type { CommandCall } from "../command.ts";
import { oneLine, toJsonLine } from "../print.ts";

/** Writes one line. `facts`: further fields, such as the id of a request. */
export type ServeLog = (level: "info" | "warn" | "error", message: string, facts?: object) => void;

export function jsonLog({ world, line }: CommandCall): ServeLog {
  return (level, message, facts = {}) => {
    if (level !== "error" && line.switches.has("quiet")) return;
    const head = { time: new Date().toISOString(), level, message: oneLine(world, message) };
    world.stderr.write(toJsonLine({ ...head, ...facts }));
  };
}
