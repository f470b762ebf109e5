// Restricts a runtime to the functions that only read, for keys of the scope `read`.
// Invariant: nothing in the database changes, not even as an effect of reading, such as a new conversation or a count of
// accesses. Only operations whose contract has the scope `read` and the functions listed here are allowed.
import type { Agent } from "../../agent/agent.ts";
import type { Operation } from "../../runtime/contract.ts";
import { contracts } from "../../runtime/contracts.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { Fault } from "./fault.ts";
import { type Allowed, refusingOthers } from "./refusing-runtime.ts";

type Reading = {
  readonly [Group in keyof UserRuntime]?: UserRuntime[Group] extends (...args: never[]) => unknown
    ? never
    : readonly Extract<keyof UserRuntime[Group], string>[];
};

/** The functions that only read, besides the operations of scope `read`. */
const otherReading: Reading = {
  agents: ["export"],
  files: ["describe"],
  forget: ["preview"],
  identities: ["count"],
  keys: ["list"],
  models: ["find", "priceOf"],
  modules: ["ofAgents"],
  schedules: ["lastPolledAt"],
  starters: ["personas", "humans"],
  tools: ["ofAgent", "ofAgents"],
  turns: ["events"],
  user: ["usage"],
};

/** The groups with the names of the functions that only read. */
const reading = Object.entries({ ...contracts, ...otherReading }).map(([group]) => [group, namesIn(group)] as const);

function namesIn(group: string): readonly string[] {
  const contract = (contracts as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[group] ?? {};
  const others = (otherReading as Readonly<Record<string, readonly string[]>>)[group] ?? [];
  const isRead = ([, { http }]: readonly [string, Operation]) => typeof http !== "string" && http.scope === "read";
  const operations = Object.entries(contract).filter(isRead);
  return [...operations.map(([name]) => name), ...others];
}

/** The functions of an open agent that only read. */
const readingAgentFunctions: readonly (keyof Agent)[] = [
  "branches",
  "compactions",
  "context",
  "describeTools",
  "events",
  "step",
  "steps",
];

/** Returns a runtime that refuses every function that can change something. */
export function readingRuntime(runtime: UserRuntime): UserRuntime {
  const { agents, archival } = runtime;
  const listed = reading.map(([group, names]) => {
    const functions = runtime[group as keyof UserRuntime] as unknown as Readonly<Record<string, unknown>>;
    return [group, Object.fromEntries(names.map((name) => [name, functions[name]]))];
  });
  const allowed = Object.fromEntries(listed) as Allowed;
  return refusingOthers(
    runtime,
    {
      ...allowed,
      agents: {
        ...allowed.agents,
        open: async (agent, { conversation = "last" } = {}) =>
          readingAgent(await agents.open(agent, { conversation, withoutCalls: true, forReading: true })),
      },
      archival: {
        ...allowed.archival,
        search: (agent, query, options) => archival.search(agent, query, { ...options, countsAccesses: false }),
      },
      getContext: (agent, query, options) => runtime.getContext(agent, query, { ...options, countsAccesses: false }),
    },
    refuse,
  );
}

function readingAgent(agent: Agent): Agent {
  return new Proxy(agent, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" && !readingAgentFunctions.includes(name as keyof Agent) ? refuse : value;
    },
  });
}

function refuse(): never {
  throw new Fault(403, "key_scope", "The API key may only read, and this request changes something.");
}
