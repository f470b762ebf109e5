// `/tools`: lists the tools and whether each needs approval; `/tools ask NAME` and `/tools free NAME` change that.
// Invariant: a tool whose definition requires approval always waits; the commands change only the agent's setting.
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { ToolDescription } from "../runtime-records.ts";
import { notice, rowPanel } from "../view/notices.ts";
import type { Paragraph } from "../view/view-item.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  noteOutcome,
  refusalOutcome,
  reopenAgent,
  unknownName,
} from "./command.ts";

const usage = "/tools ask core_memory_append";

export const toolsCommand = command({
  usage: "/tools [ask | free NAME]",
  summary: "show the tools, or change which calls wait for approval",
  manual:
    "lists the agent's tools and which need your approval; `ask` requires approval for a tool, `free` no longer, in every conversation",
  async run(context) {
    const tools = context.agent.describeTools();
    if (context.argument === "") return listTools(tools);
    const [verb = "", name = "", ...more] = context.argument.split(/\s+/u);
    if ((verb !== "ask" && verb !== "free") || name === "" || more.length > 0)
      return refusalOutcome("Expected ask or free, and the name of one tool.", usage);
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool !== undefined) return change(context, tool, verb);
    const names = tools.map((one) => one.name);
    return unknownName("The agent has no tool", name, { names, advice: "/tools lists the tools." });
  },
});

async function change(
  context: CommandContext,
  { name, approval }: ToolDescription,
  verb: "ask" | "free",
): Promise<CommandOutcome> {
  const { runtime, agent } = context;
  if (approval === "always") return noteOutcome(`Calls of ${name} always wait for approval, by the tool's definition.`);
  const { id } = agent.record;
  const { approvals } = (await runtime.agents.find(id)).settings;
  const isAsked = approvals.includes(name);
  if (isAsked === (verb === "ask")) return noteOutcome(`Already set: ${approvalText(name, isAsked)}`);
  const wanted = isAsked ? approvals.filter((other) => other !== name) : [...approvals, name];
  await runtime.agents.update(id, { approvals: wanted });
  return { ...noteOutcome(`From now on, ${approvalText(name, !isAsked)}`), effect: await reopenAgent(context) };
}

function approvalText(name: string, isAsked: boolean): string {
  return isAsked ? `calls of ${name} wait for your approval.` : `calls of ${name} are run at once.`;
}

function listTools(tools: readonly ToolDescription[]): CommandOutcome {
  const [first] = tools;
  if (first === undefined) return noteOutcome("The agent has no tools.");
  const asked = tools.filter(({ approval }) => approval !== "never").length;
  const { name } = tools.find(({ approval }) => approval === "setting") ?? first;
  const advice = asked === 0 ? `/tools ask ${name} makes calls wait.` : `/tools free ${name} runs its calls at once.`;
  const count = `Calls of ${asked} of ${countLabel(tools.length, "tool")} wait for your approval.`;
  return { items: [rowPanel(tools.map(toolLine)), notice("note", count, advice)] };
}

const waits = { always: "  waits, by its definition", setting: "  waits", never: "" } as const;

function toolLine({ name, description, approval }: ToolDescription): Paragraph {
  return {
    indent: 2,
    spans: [
      span(name, "strong"),
      span(waits[approval], "warning"),
      span(`  ${description.replaceAll(/\s+/g, " ")}`, "faint"),
    ],
  };
}
