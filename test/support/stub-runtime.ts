// A runtime that has only the functions that a test gives it, for answers that no database gives in a test's time.
// Invariant: a call of any other function fails with its name, and the calls of those that are given are recorded.
import type { Runtime } from "../../src/runtime/runtime.ts";
import { RequestError } from "../../src/base/errors.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { createFakeAgent, type FakeAgent, replyScript, type ScriptedTurn } from "./fake-agent.ts";

type Stubs = {
  readonly [Name in keyof Runtime]?: Runtime[Name] extends string | ((...args: never[]) => unknown)
    ? Runtime[Name]
    : Partial<Runtime[Name]>;
};

export interface StubRuntime extends Runtime {
  /** The calls of the given functions, in order: their names and arguments. */
  readonly calls: readonly (readonly [string, ...unknown[]])[];
}

const starters: Runtime["starters"] = {
  personas: async () => [
    { name: "companion", text: "I am the default." },
    { name: "archivist", text: "I file things." },
  ],
  humans: async () => [{ name: "unknown", text: "I know nobody yet." }],
};

export function stubRuntime(stubs: Stubs = {}): StubRuntime {
  const calls: (readonly [string, ...unknown[]])[] = [];
  const stubbed = (name: string, value: unknown): unknown => {
    if (typeof value === "string" || value === calls || value === starters) return value;
    return new Proxy(() => undefined, {
      get(_, member) {
        // A promise of the runtime resolves to it.
        if (member === "then") return undefined;
        return stubbed(`${name}${name && "."}${String(member)}`, Reflect.get(Object(value) as object, member));
      },
      apply(_, __, given: readonly unknown[]) {
        if (typeof value !== "function") throw new Error(`The test does not give ${name}.`);
        calls.push([name, ...given]);
        return Reflect.apply(value, undefined, given) as unknown;
      },
    });
  };
  const done = async () => undefined;
  const usual = { userId: "local", defaultModel: "demo", starters, close: done, idle: done };
  return stubbed("", { ...usual, ...stubs, calls }) as StubRuntime;
}

/** A turn that says `text` and ends. */
export const reply = (text: string): ScriptedTurn => [
  ...replyScript(text).slice(0, -1),
  { type: "turn-end", stopReason: "end-turn", text, steps: 1, usage: noUsage },
];

const echo = (): FakeAgent => createFakeAgent({ turns: (text) => reply(`You said: ${text}`) });

/** A runtime in which each agent that is opened is this one. `existing`: the names of those that are not created then. */
export const talkingRuntime = (agent = echo(), existing: readonly string[] = []): StubRuntime =>
  stubRuntime({
    agents: {
      open: async () => agent,
      async find(name) {
        if (existing.includes(name)) return agent.record;
        throw new RequestError("agent_not_found", `There is no agent "${name}".`);
      },
    },
  });
