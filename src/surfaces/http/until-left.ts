// A user's runtime for a request that only reads: it begins nothing more for a client that has left.
// Invariant: an operation that has begun ends; each further one throws Fault `client_left`.
import { clientLeft } from "./fault.ts";

/** `signal`: aborted when the client leaves. */
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
