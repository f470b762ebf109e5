// Limits the runtime of a key to one agent: the runtime reads and changes only what the agent holds.
// Invariant: a function that is not listed here is refused, including one that is added to the runtime later. Another
// agent is refused with `key_scope`; any other record that the agent does not hold is reported as not found.
import { type ErrorCode, RequestError } from "../../base/errors.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { Fault } from "./fault.ts";
import { identityIdsOf } from "./letta/agents/agent-extension.ts";
import { type Allowed, checked, refusingOthers } from "./refusing-runtime.ts";

type Check = (named: string) => Promise<string>;
type Of<Group extends keyof UserRuntime> = NonNullable<Allowed[Group]>;

type Held = ReturnType<typeof heldBy>;

/** Returns a runtime that reads and changes only what the agent with this id holds. */
export function runtimeOfAgent(runtime: UserRuntime, agentId: string): UserRuntime {
  const held = heldBy(runtime, agentId);
  const { approvals, archival, files, imports, memory, models, recall, retention, starters, synopsis } = runtime;
  const allowed: Allowed = {
    agents: agentsOf(runtime, agentId, held),
    conversations: conversationsOf(runtime, agentId, held),
    turns: turnsOf(runtime, agentId, held),
    modules: modulesOf(runtime, agentId, held),
    tools: toolsOf(runtime, agentId, held),
    sources: sourcesOf(runtime, agentId, held),
    identities: identitiesOf(runtime, held),
    embeddings: embeddingsOf(runtime, agentId, held),
    schedules: {
      ...checked(runtime.schedules, ["create", "list"], held.agent),
      ...checked(runtime.schedules, ["update", "delete", "runs"], held.schedule),
    },
    memory: checked(
      memory,
      ["show", "at", "diff", "set", "remember", "edit", "revisions", "cause", "undo"],
      held.agent,
    ),
    memoryFiles: checked(runtime.memoryFiles, ["list", "history", "write", "command"], held.agent),
    skills: checked(runtime.skills, ["list", "find", "write", "remove"], held.agent),
    approvals: checked(approvals, ["list"], held.agent),
    recall: checked(recall, ["search", "searchDate"], held.agent),
    archival: checked(archival, ["list", "count", "search", "add", "import", "setTags", "delete"], held.agent),
    imports: checked(imports, ["run"], held.agent),
    retention: checked(retention, ["apply", "list"], held.agent),
    agentMessages: checked(runtime.agentMessages, ["list"], held.agent),
    consolidation: {
      ...checked(runtime.consolidation, ["run", "list"], held.agent),
      ...checked(runtime.consolidation, ["find", "apply", "reject", "undo"], held.consolidation),
    },
    synopsis: checked(synopsis, ["show", "refresh", "clear"], held.agent),
    getContext: checked(runtime, ["getContext"], held.agent).getContext,
    // Allowed without a check: models, files and starters belong to the configuration and the package, not to an agent.
    models,
    files,
    starters,
  };
  return refusingOthers(runtime, allowed, () => {
    throw otherAgent();
  });
}

function otherAgent(): Fault {
  return new Fault(403, "key_scope", "The API key is limited to one agent, and this request is not about that agent.");
}

/**
 * Returns a check for each kind of record that a call can name. A check resolves to the id of the record. If the agent
 * does not hold the record, the check rejects as if the record did not exist.
 */
function heldBy(runtime: UserRuntime, agentId: string) {
  const isOwn = isOf(agentId);
  const among = (things: readonly { readonly id: string; readonly name?: string }[], named: string) =>
    things.find(({ id, name }) => id === named || name === named) ?? null;
  const { agents, conversations, identities, memory, schedules, sources, tools, turns } = runtime;
  const identityIds = async () => identityIdsOf(await agents.find(agentId));
  return {
    /**
     * Resolves to the agent's id. Throws Fault `key_scope` for another agent, RequestError `agent_not_found` for an unknown one.
     */
    async agent(named: string) {
      // Compares with the agent's own name only: looking up another name would reveal which other agents the user has.
      if (named !== agentId && (await agents.find(agentId)).name !== named) throw otherAgent();
      return agentId;
    },
    conversation: only("conversation", conversations.find, isOwn),
    turn: only("turn", turns.find, isOwn),
    module: only("module", async (id) => among(await memory.show(agentId), id)),
    tool: only("tool", async (named) => among(await tools.ofAgent(agentId), named)),
    source: only("source", sources.show, ({ agentIds }) => agentIds.includes(agentId)),
    consolidation: only("consolidation", runtime.consolidation.find, isOwn),
    schedule: only("schedule", async (id) => among(await schedules.list(agentId), id)),
    identityIds,
    identity: only("identity", async (id) => ((await identityIds()).includes(id) ? identities.find(id) : null)),
  };
}

function isOf(agent: string): (record: { readonly agentId: string }) => boolean {
  return ({ agentId }) => agentId === agent;
}

const missing = {
  conversation: "conversation_not_found",
  message: "message_not_found",
  turn: "turn_not_found",
  step: "step_not_found",
  module: "module_unknown",
  tool: "tool_not_found",
  source: "source_not_found",
  schedule: "schedule_not_found",
  consolidation: "consolidation_not_found",
  identity: "identity_not_found",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** Returns the record that `find` returns, if the agent holds it; otherwise throws as if the record did not exist. */
async function found<Thing>(
  kind: keyof typeof missing,
  find: () => Promise<Thing | null>,
  isHeld: (thing: Thing) => boolean,
): Promise<Thing> {
  const code = missing[kind];
  const thing = await find().catch((error: unknown) => {
    if (error instanceof RequestError && error.code === code) return null;
    throw error;
  });
  if (thing !== null && isHeld(thing)) return thing;
  throw new RequestError(code, `The API key is limited to one agent, which has no such ${kind}.`);
}

function only<Thing extends { readonly id: string }>(
  kind: keyof typeof missing,
  find: (named: string) => Promise<Thing | null>,
  isHeld: (thing: NoInfer<Thing>) => boolean = () => true,
): Check {
  return async (named) => (await found(kind, () => find(named), isHeld)).id;
}

function agentsOf({ agents }: UserRuntime, agentId: string, held: Held): Of<"agents"> {
  const own = ["find", "update", "setSystemPrompt", "setModel", "open", "delete", "export"] as const;
  return {
    ...checked(agents, [...own, "share", "unshare", "recipients", "leave"], held.agent),
    openForTurn: async (conversation, { agent = agentId, ...options } = {}) =>
      agents.openForTurn(conversation, { ...options, agent: await held.agent(agent) }),
    async list({ name, after, before, ...options } = {}) {
      const own = await agents.find(agentId);
      const isElsewhere = after !== undefined || before !== undefined || (name !== undefined && name !== own.name);
      if (isElsewhere) return [];
      return (await agents.list({ ...options, name: own.name })).filter(({ id }) => id === agentId);
    },
    count: async () => 1,
    tags: async () => [...(await agents.find(agentId)).tags].toSorted(),
    async setDetails(named, details) {
      const id = await held.agent(named);
      const before = await held.identityIds();
      for (const added of identityIdsOf({ extensions: details.extensions ?? {} }))
        if (!before.includes(added)) await held.identity(added);
      return agents.setDetails(id, details);
    },
  };
}

function conversationsOf(
  { conversations }: UserRuntime,
  agentId: string,
  { agent, conversation }: Held,
): Of<"conversations"> {
  const names = ["find", "messages", "file", "rename", "delete", "branches", "fork", "export"] as const;
  return {
    ...checked(conversations, names, conversation),
    ...checked(conversations, ["create", "import"], agent),
    list: async (named, options) => conversations.list(named === null ? agentId : await agent(named), options),
    history: async (options) =>
      conversations.history({ ...options, conversation: await conversation(options.conversation) }),
    message: (id) => found("message", () => conversations.message(id), isOf(agentId)),
  };
}

function turnsOf({ turns }: UserRuntime, agentId: string, { agent, conversation, turn }: Held): Of<"turns"> {
  return {
    ...checked(turns, ["find", "annotate", "messages", "steps"], turn),
    ...checked(turns, ["findByKey"], conversation),
    async *events(turnId, { agent: named = agentId, ...options }) {
      yield* turns.events(turnId, { ...options, agent: await agent(named) });
    },
    stepsOfAgent: async (named, options) => turns.stepsOfAgent(named === null ? agentId : await agent(named), options),
    list: async ({ agent: named = agentId, ...options } = {}) => turns.list({ ...options, agent: await agent(named) }),
    findStep: (id) => found("step", () => turns.findStep(id), isOf(agentId)),
  };
}

function modulesOf({ modules }: UserRuntime, agentId: string, { agent, module }: Held): Of<"modules"> {
  const requireNoOther = async (id: string): Promise<void> => {
    if ((await modules.holders(id)).every((holder) => holder.agentId === agentId)) return;
    throw new Fault(403, "key_scope", "The API key is limited to one agent, and other agents hold this module, too.");
  };
  return {
    ...checked(modules, ["find", "revisions"], module),
    list: (options) => modules.list({ ...options, agentId }),
    ofAgents: async (ids) => modules.ofAgents(await Promise.all(ids.map(agent))),
    holders: async (id) => (await modules.holders(await module(id))).filter((holder) => holder.agentId === agentId),
    attach: async (named, id) => modules.attach(await agent(named), await module(id)),
    detach: async (named, id) => modules.detach(await agent(named), await module(id)),
    async update(id, { value, ...settings }) {
      await module(id);
      // If other agents hold the module, too, only its text may be changed with this key.
      if (Object.keys(settings).length > 0) await requireNoOther(id);
      return modules.update(id, value === undefined ? settings : { ...settings, value });
    },
    async delete(id) {
      await module(id);
      await requireNoOther(id);
      return modules.delete(id);
    },
  };
}

function toolsOf({ tools }: UserRuntime, agentId: string, { agent, tool }: Held): Of<"tools"> {
  return {
    ...checked(tools, ["find"], tool),
    ...checked(tools, ["ofAgent"], agent),
    list: (options) => tools.list({ ...options, agentId }),
    async ofAgents(records) {
      await Promise.all(records.map(({ id }) => agent(id)));
      return tools.ofAgents(records);
    },
    builtIn: async (named) => (named === undefined ? tools.builtIn() : tools.builtIn(await agent(named))),
    attach: async (named, wanted) => tools.attach(await agent(named), await tool(wanted)),
    detach: async (named, wanted) => tools.detach(await agent(named), await tool(wanted)),
    setApproval: async (named, wanted, isRequired) =>
      tools.setApproval(await agent(named), await tool(wanted), isRequired),
  };
}

function sourcesOf({ sources }: UserRuntime, agentId: string, { agent, source }: Held): Of<"sources"> {
  return {
    ...checked(sources, ["show", "files", "passages"], source),
    ...checked(sources, ["attachedFiles", "openFile", "closeFiles", "openFiles"], agent),
    list: async () => (await sources.list()).filter(({ agentIds }) => agentIds.includes(agentId)),
    attach: async (named, wanted) => sources.attach(await agent(named), await source(wanted)),
    detach: async (named, wanted) => sources.detach(await agent(named), await source(wanted)),
  };
}

function identitiesOf({ identities }: UserRuntime, held: Held): Of<"identities"> {
  return {
    ...checked(identities, ["find"], held.identity),
    list: async (options) => identities.list({ ...options, ids: await held.identityIds() }),
    count: async () => (await held.identityIds()).length,
  };
}

function embeddingsOf({ embeddings }: UserRuntime, agentId: string, { agent }: Held): Of<"embeddings"> {
  const own = (named: readonly string[] = [agentId]) => Promise.all(named.map(agent));
  return {
    list: async (agents) => embeddings.list(await own(agents)),
    reembed: async (options) => embeddings.reembed({ ...options, agents: await own(options.agents) }),
  };
}
