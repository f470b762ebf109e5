// Records which operations of a store are called: most of them are one transaction each.
import type { Store } from "../../src/store/port/store.ts";

/** A store that records each call of an operation, as `aggregate.operation`. */
export function recordingCalls(store: Store, calls: string[]): Store {
  const recording = <Aggregate extends object>(name: string, aggregate: Aggregate): Aggregate =>
    new Proxy(aggregate, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return (...parameters: unknown[]) => {
          calls.push(`${name}.${String(key)}`);
          return value.apply(target, parameters);
        };
      },
    });
  return {
    ...store,
    as: (userId) => {
      const entries = Object.entries(store.as(userId));
      return Object.fromEntries(
        entries.map(([name, value]) => [name, typeof value === "object" ? recording(name, value as object) : value]),
      ) as unknown as ReturnType<Store["as"]>;
    },
  };
}
