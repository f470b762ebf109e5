// The synopsis of a fake runtime, with a record of the calls.
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { synopsis } from "./fake-records.ts";

/** `nameOf` throws for an unknown agent. */
export function fakeSynopsis(
  calls: [string, ...unknown[]][],
  nameOf: (name: string) => string,
): UserRuntime["synopsis"] {
  return {
    show: async (name) => (nameOf(name), synopsis),
    refresh: async (name) => {
      calls.push(["synopsis.refresh", nameOf(name)]);
      return synopsis;
    },
    clear: async (name) => {
      calls.push(["synopsis.clear", nameOf(name)]);
      return 2;
    },
  };
}
