// Builds a runtime that refuses the functions that a key does not allow.
// Invariant: only listed functions are allowed, so a function that is added to the runtime is refused until it is listed.
import type { UserRuntime } from "../../runtime/runtime.ts";

/** The allowed functions, under their names in the runtime. */
export type Allowed = {
  readonly [Name in keyof UserRuntime]?: UserRuntime[Name] extends (...args: never[]) => unknown
    ? UserRuntime[Name]
    : Partial<UserRuntime[Name]>;
};

type AnyFunction = (...args: readonly unknown[]) => unknown;
type Functions = Readonly<Record<string, unknown>>;

/** Returns a runtime in which every function that is not allowed calls `refuse`. */
export function refusingOthers(runtime: UserRuntime, allowed: Allowed, refuse: () => never): UserRuntime {
  const restricted = (value: unknown, kept: unknown): unknown => {
    if (typeof value === "function") return kept ?? refuse;
    if (typeof value !== "object" || value === null) return value;
    const functions = Object.keys(value).map((name) => [name, (kept as Functions | undefined)?.[name] ?? refuse]);
    return Object.fromEntries(functions);
  };
  const entries = Object.entries(runtime).map(([name, value]) => [
    name,
    restricted(value, allowed[name as keyof UserRuntime]),
  ]);
  // The cast is sound: the result has every function of the runtime, allowed or refused.
  return Object.fromEntries(entries) as UserRuntime;
}

/** Returns the named functions of a group. Each one passes its first argument through `check`, which returns an id. */
export function checked<Group extends object, const Name extends keyof Group & string>(
  group: Group,
  names: readonly Name[],
  check: (named: string) => Promise<string>,
): Pick<Group, Name> {
  const functions = names.map((name) => {
    const run = group[name] as AnyFunction;
    return [name, async (named: string, ...rest: readonly unknown[]) => run(await check(named), ...rest)];
  });
  // The cast is sound: each name is the name of a function in the group that returns a promise.
  return Object.fromEntries(functions) as Pick<Group, Name>;
}
