// Defines the routes of `/v1` for the tools of an agent.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { afterChange, attachRoutes } from "../agents/attach-routes.ts";
import type { Attachment } from "../collections/collections.ts";
import { setTools } from "../agents/write-agent.ts";
import { on } from "../letta-routes.ts";
import { pageOfShown, pageQuery, queryFlag } from "../pages.ts";
import { invalidArgument } from "../wire-fault.ts";
import { toolRecord } from "./tool-record.ts";
import { shownToolsOf, toolById, toolsOfAgent } from "./tool-set.ts";

const approval = z.boolean().nullish();

export const agentToolRoutes: readonly Route[] = [
  on("get /agents/:agent/tools", "read", "List the tools of an agent", {
    query: pageQuery("tool"),
    output: z.array(toolRecord.shape),
    run: async ({ runtime, params, query }) => {
      const [shown = []] = await shownToolsOf(runtime, [await runtime.agents.find(params.agent)]);
      return pageOfShown(shown, query);
    },
  }),
  ...attachRoutes({ word: "tools", name: "tool", label: "a tool", change: setAttached }),
  on(
    "patch /agents/:agent/tools/approval/:tool_name",
    "admin",
    "Set whether calls of a tool by this agent wait for approval",
    {
      query: z.object({ requires_approval: queryFlag.optional() }),
      // The TypeScript client sends `body_requires_approval` instead of `requires_approval`.
      body: z.object({ requires_approval: approval, body_requires_approval: approval }),
      output: z.unknown(),
      run: async ({ runtime, params: { agent, tool_name: name }, query, body, headers, agentChanges }) => {
        const requiresApproval = body.requires_approval ?? body.body_requires_approval ?? query.requires_approval;
        if (requiresApproval === undefined)
          throw invalidArgument("requires_approval", "Expected `requires_approval`, got nothing.");
        await agentChanges.run(agent, () => setApproval(runtime, agent, { name, requiresApproval }));
        return afterChange(runtime, agent, headers);
      },
    },
  ),
];

async function setAttached(runtime: UserRuntime, { agent, id, isWanted }: Attachment): Promise<void> {
  const { kind, tool } = await toolById(runtime, id);
  const { name } = tool;
  const added = (list: typeof kind): readonly string[] => (isWanted && list === kind ? [name] : []);
  await setTools(runtime, agent, (has) => ({
    builtIn: [...has.builtIn.filter((one) => one !== name), ...added("builtIn")],
    stored: [...has.stored.filter((one) => one.name !== name), ...(isWanted && kind === "stored" ? [tool] : [])],
    absent: [...has.absent.filter((one) => one !== name), ...added("absent")],
  }));
}

/** Sets whether a tool of an agent needs approval. Throws Fault for a tool that the agent does not have. */
async function setApproval(
  runtime: UserRuntime,
  agent: string,
  { name, requiresApproval }: { readonly name: string; readonly requiresApproval: boolean },
): Promise<void> {
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
