// The operations of the fake runtimes that are refused, and those on MCP servers, of which there are none.
import type { Runtime } from "../../src/runtime/runtime.ts";

export const fakeMcp = (): Runtime["mcp"] =>
  refusing("mcp", { servers: async () => [], questions: () => [], watchQuestions: () => undefined });

export function notFaked(name: string): never {
  throw new Error(`${name} is not faked.`);
}

/** A group of functions that no front end under test calls, but those of `faked`. */
export function refusing<Group extends keyof Runtime>(
  group: Group,
  faked: Partial<Runtime[Group]> = {},
): Runtime[Group] {
  return new Proxy(faked as Runtime[Group] & object, {
    get: (target, name) => Reflect.get(target, name) ?? (() => notFaked(`${group}.${String(name)}`)),
  });
}
