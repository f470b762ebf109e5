// Lists the arguments and options of the functions of a host and a runtime, each with its check.
// Invariant: every parameter and option has a line here or in the contract of its group of functions
// (src/runtime/contracts.ts). This file checks types only.
import {
  anything,
  atOnce,
  callback,
  type CallChecks,
  checkThat,
  flag,
  later,
  nullable,
  number,
  optional,
  options,
  record,
  signal,
  text,
  textOr,
  withCheckedCalls,
} from "../../../base/arguments/argument-checks.ts";
import { isObject } from "../../../base/json-values.ts";
import type { OptimizeOptions } from "../../../store/port/upkeep.ts";
import type { ContinueTurnsOptions, HealthOptions, Host } from "../../host.ts";
import type { StoreMaintenance } from "../../../store/port/store.ts";
import type { CloseOptions, ContextOptions, UserRuntime } from "../../runtime.ts";
import type { Agent, AgentFunctions } from "../../../agent/agent.ts";
import { form } from "../../../base/arguments/forms.ts";
import { fileInput } from "../../../base/arguments/file-input.ts";
import { checksOf } from "../../contract.ts";
import { contracts, type OperationGroups } from "../../contracts.ts";
import { hostKeyChecks } from "../../keys/contract.ts";
import { openAgentContract } from "../../open-agents/contract.ts";
import type { McpOperations } from "../../mcp.ts";

const agent = ["agent", text] as const;
const userId = ["userId", textOr("Pass the id of a user of your program.")] as const;

const close = later(["options", optional(options<CloseOptions>({ graceMs: optional(number) }))]);

const runtimeChecks: CallChecks<UserRuntime> = {
  // No check is necessary here, because the buffer checks its options itself: programs also create it without a runtime.
  createMessageBuffer: atOnce(["deps", anything], ["json", anything]),
  getContext: later(
    agent,
    ["query", text],
    [
      "options",
      optional(
        options<ContextOptions>({
          maxTokens: optional(number),
          recent: optional(number),
          k: optional(number),
          signal: optional(signal),
          conversation: optional(text),
          countsAccesses: optional(flag),
        }),
      ),
    ],
  ),
  close,
};

const file = ["file", text] as const;

const maintenanceChecks: CallChecks<StoreMaintenance> = {
  listUsage: later(["since", form.moment.check]),
  backup: later(file),
  restore: later(file),
  optimize: later([
    "options",
    optional(
      options<OptimizeOptions>({ minVectors: optional(number), log: optional(callback), signal: optional(signal) }),
    ),
  ]),
};

const hostChecks: CallChecks<Host> = {
  ...maintenanceChecks,
  forUser: atOnce(userId),
  continueTurns: later(["options", optional(options<ContinueTurnsOptions>({ signal: optional(signal) }))]),
  health: later(["options", optional(options<HealthOptions>({ timeoutMs: optional(number) }))]),
  close,
};

const groupChecks = Object.entries(contracts).map(
  ([group, contract]) => [group as keyof OperationGroups, checksOf<object>(contract)] as const,
);
const agentFunctionChecks: CallChecks<Agent> = checksOf<AgentFunctions>(openAgentContract);

/**
 * Returns a host that checks the arguments of its own functions, not those of its runtimes. `name` is the host's name in error
 * messages.
 */
export function checkedHost(host: Host, name: string): Host {
  const keys = withCheckedCalls(host.keys, `${name}.keys`, hostKeyChecks);
  const mcp = withCheckedCalls(host.mcp, `${name}.mcp`, mcpChecks);
  return { ...withCheckedCalls(host, name, hostChecks), keys, mcp };
}

/** Returns a runtime that checks the arguments of its functions and of its agents' functions. */
export function checkedRuntime(runtime: UserRuntime): UserRuntime {
  const { agents, files } = runtime;
  const open: UserRuntime["agents"]["open"] = async (...args) =>
    withCheckedCalls(await agents.open(...args), "agent", agentFunctionChecks);
  const opening: UserRuntime = { ...runtime, agents: { ...agents, open } };
  const groups = groupChecks.map(([name, checks]) => [name, withCheckedCalls<object>(opening[name], name, checks)]);
  const checked: UserRuntime = {
    ...opening,
    ...(Object.fromEntries(groups) as OperationGroups),
    files: withCheckedCalls(files, "files", { describe: later(["file", fileInput]) }),
  };
  return withCheckedCalls(checked, "runtime", runtimeChecks);
}

const tool = ["tool", textOr('Pass the name of the tool as agents call it, such as "files__read_file".')] as const;

const server = ["server", text] as const;
const answer = checkThat(
  '{ action: "accept", content: {…} } or { action: "decline" }',
  (value) =>
    isObject(value) && (value["action"] === "decline" || (value["action"] === "accept" && isObject(value["content"]))),
);

const mcpChecks: CallChecks<McpOperations> = {
  trust: later(tool),
  distrust: later(tool),
  signIn: later(server),
  signOut: later(server),
  watchQuestions: atOnce(["listener", nullable(callback)]),
  answer: later(["questionId", text], ["answer", answer]),
  readResource: later(server, ["resource", text]),
  readPrompt: later(server, ["prompt", text], ["args", optional(record)]),
};
