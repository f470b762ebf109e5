// The runtime of a key of scope `read`, which has only functions that read.
// Invariant: nothing in the database changes, not even as an effect of reading, such as a new conversation or a count of
// accesses. A function that is not listed is refused, including one that is added to the runtime later.
import type { Agent } from "../../agent/agent.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { Fault } from "./fault.ts";
import { type Allowed, refusingOthers } from "./refusing-runtime.ts";

type Reading = {
  readonly [Group in keyof UserRuntime]?: UserRuntime[Group] extends (...args: never[]) => unknown
    ? never
    : readonly Extract<keyof UserRuntime[Group], string>[];
};

const reading: Reading = {
  agentMessages: ["list"],
  agents: ["list", "count", "tags", "find", "recipients", "offers", "former", "export"],
  approvals: ["list"],
  archival: ["list", "count"],
  consolidation: ["list", "find"],
  conversations: ["list", "find", "messages", "message", "file", "branches", "history", "export"],
  embeddings: ["list"],
  files: ["describe"],
  forget: ["preview", "list"],
  identities: ["find", "list", "count"],
  keys: ["list"],
  mcpServers: ["find", "list", "tools"],
  memory: ["show", "at", "diff", "revisions", "cause"],
  memoryFiles: ["list", "history"],
  nodeMemory: ["listUnused"],
  models: ["list", "find", "priceOf", "embedders"],
  modules: ["list", "find", "ofAgents", "holders", "recipients", "offers", "revisions"],
  recall: ["search", "searchDate"],
  retention: ["list"],
  schedules: ["list", "runs", "lastPolledAt"],
  skills: ["list", "find"],
  sources: ["list", "show", "files", "passages", "attachedFiles", "openFiles"],
  starters: ["personas", "humans"],
  synopsis: ["show"],
  tools: ["find", "list", "builtIn", "ofAgent", "ofAgents"],
  turns: ["list", "find", "findByKey", "messages", "steps", "stepsOfAgent", "findStep", "events"],
  user: ["usage"],
};

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
  const listed = Object.entries(reading).map(([group, names]) => {
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
  throw new Fault(403, "key_scope", "The key sent may only read, and this request changes something.");
}
