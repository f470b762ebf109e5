// Routes of `/v1` about the tools of an agent.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Attachment } from "../agents/attachment.ts";
import { afterChange, attachRoutes } from "../agents/attach-routes.ts";
import { setTools } from "../agents/change-agent.ts";
import { agentPath } from "../ids.ts";
import { pageOfShown, pageQuery, queryFlag } from "../page-query.ts";
import { route, type Route } from "../../route.ts";
import { invalidArgument } from "../wire-fault.ts";
import { toolShape } from "./shown-tool.ts";
import { type FoundTool, shownToolsOf, toolById, toolsOfAgent, type ToolSet } from "./tool-set.ts";

const namePath = agentPath.extend({ name: z.string() });

export const agentToolRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/agents/:agent/tools",
    summary: "List the tools of an agent",
    scope: "read",
    params: agentPath,
    query: pageQuery("tool"),
    output: z.array(toolShape),
    run: async ({ runtime, params, query }) => {
      const [shown = []] = await shownToolsOf(runtime, [await runtime.agents.find(params.agent)]);
      return pageOfShown(shown, query);
    },
  }),
  ...attachRoutes({ word: "tools", name: "tool", label: "a tool", change: setAttached }),
  route({
    method: "patch",
    path: "/agents/:agent/tools/approval/:name",
    summary: "Set whether calls of a tool by this agent wait for approval",
    scope: "admin",
    params: namePath,
    query: z.object({ requires_approval: queryFlag.optional() }),
    // The TypeScript client sends the second form.
    body: z.object({ requires_approval: z.boolean().nullish(), body_requires_approval: z.boolean().nullish() }),
    output: z.unknown(),
    run: async ({ runtime, params: { agent, name }, query, body, headers }) => {
      const given = body.requires_approval ?? body.body_requires_approval ?? query.requires_approval;
      if (given === undefined) throw invalidArgument("requires_approval", "Expected `requires_approval`, got nothing.");
      await setApproval(runtime, { agent, name, requiresApproval: given });
      return afterChange(runtime, agent, headers);
    },
  }),
];

async function setAttached(runtime: UserRuntime, { agent, id, isWanted }: Attachment): Promise<void> {
  const has = await toolsOfAgent(runtime, await runtime.agents.find(agent));
  const split = await without(has, id, runtime);
  await setTools(runtime, agent, isWanted ? merged(split) : split.others);
}

interface Split {
  readonly others: ToolSet;
  readonly found: FoundTool;
}

async function without(has: ToolSet, id: string, runtime: UserRuntime): Promise<Split> {
  const found = await toolById(runtime, id);
  const { name } = found.tool;
  const others = {
    builtIn: has.builtIn.filter((one) => one !== name),
    stored: has.stored.filter((one) => one.name !== name),
    absent: has.absent.filter((one) => one !== name),
  };
  return { others, found };
}

function merged({ others, found }: Split): ToolSet {
  if (found.kind === "stored") return { ...others, stored: [...others.stored, found.tool] };
  const { name } = found.tool;
  return found.kind === "built-in"
    ? { ...others, builtIn: [...others.builtIn, name] }
    : { ...others, absent: [...others.absent, name] };
}

interface Approval {
  readonly agent: string;
  readonly name: string;
  readonly requiresApproval: boolean;
}

/** Throws Fault for a tool that the agent does not have. */
async function setApproval(runtime: UserRuntime, { agent, name, requiresApproval }: Approval): Promise<void> {
  const record = await runtime.agents.find(agent);
  const { builtIn, stored } = await toolsOfAgent(runtime, record);
  if (stored.some((tool) => tool.name === name)) {
    await runtime.tools.setApproval(agent, name, requiresApproval);
    return;
  }
  if (!builtIn.includes(name)) throw invalidArgument("tool_name", `The agent has no tool ${name}.`);
  const others = record.settings.approvals.filter((one) => one !== name);
  await runtime.agents.update(agent, { approvals: requiresApproval ? [...others, name] : others });
}
