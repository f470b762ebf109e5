// A user's runtime for a request that only reads: this runtime starts no operation after the client has left.
// Invariant: a started operation runs to its end; a call after the client has left throws Fault `client_left`.
import { clientLeft } from "./fault.ts";

/** Returns the runtime with functions that throw after `signal` was aborted because the client left. */
export function untilLeft<Part extends object>(runtime: Part, signal: AbortSignal): Part {
  return new Proxy(runtime, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value === "object" && value !== null) return untilLeft(value, signal);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        if (signal.aborted) throw clientLeft(signal.reason);
        return Reflect.apply(value as (...args: readonly unknown[]) => unknown, of, args);
      };
    },
  });
}
