// `palimpsest tools`: tools that are stored with their source code, and the agents that have them.
import type { Runtime } from "../../../runtime/runtime.ts";
import { commandTable, type Result } from "../command.ts";
import { recordsText, recordText } from "../format/listing-texts.ts";
import { choiceOf, limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { readText } from "../parse/read-text.ts";
import { requireYes } from "../print.ts";

type Listed<Name extends "builtIn" | "ofAgent"> = Awaited<ReturnType<Runtime["tools"][Name]>>;

export const commands = commandTable({
  "tools list": {
    summary: "list your stored tools, or the tools of an agent",
    details: "With --agent: the built-in and the stored tools that this agent has.",
    flags: ["agent", "tag", "limit", "after", "json"],
    async run(call) {
      const { texts, lists } = call.line;
      const { tools } = await call.runtime();
      const range = { limit: limitFlag(call.line), ...given({ after: texts.after, tags: lists.tag }) };
      if (texts.agent !== undefined)
        return agentTools(await tools.builtIn(texts.agent), await tools.ofAgent(texts.agent));
      const stored = await tools.list(range);
      const columns = ["name", "kind", "requiresApproval", "tags", "id"] as const;
      return { json: stored, text: recordsText(stored, columns, "There are no stored tools.") };
    },
  },
  "tools show": {
    usage: "TOOL",
    summary: "show a stored tool with its source code",
    flags: ["json"],
    async run(call, name) {
      const tool = await (await call.runtime()).tools.find(name);
      const { source, ...facts } = tool;
      return { json: tool, text: `${recordText(facts)}${source === null ? "" : `\n\n${source}`}` };
    },
  },
  "tools add": {
    usage: "FILE|-",
    summary: "store a Python function as a tool, or replace its code",
    details:
      "Name, description and parameters are read from the function. A tool of that name keeps its id and gets the new code.\n" +
      "The setting sandbox must be on. To give the tool to an agent: tools attach.",
    flags: ["tag", "json"],
    async run(call, file) {
      const source = await readText(file, call.world);
      const tool = await (await call.runtime()).tools.upsert({ source, ...given({ tags: call.line.lists.tag }) });
      const attach = `${call.world.command} tools attach ${tool.name} -a NAME`;
      return { json: tool, text: `Stored the tool "${tool.name}". To give it to an agent: ${attach}` };
    },
  },
  "tools remove": {
    usage: "TOOL --yes",
    summary: "delete a stored tool, for every agent",
    flags: ["yes"],
    async run(call, name) {
      requireYes(call, `the tool "${name}", for every agent`);
      await (await call.runtime()).tools.delete(name);
      return { text: `Deleted the tool "${name}".` };
    },
  },
  "tools attach": {
    usage: "TOOL",
    summary: "attach a stored tool to an agent",
    flags: ["agent", "json"],
    async run(call, name) {
      const attached = await (await call.runtime()).tools.attach(call.agent, name);
      return { json: { attached }, text: `"${call.agent}" ${attached ? "now has" : "already had"} "${name}".` };
    },
  },
  "tools detach": {
    usage: "TOOL",
    summary: "detach a stored tool from an agent (deletes nothing)",
    flags: ["agent", "json"],
    async run(call, name) {
      const detached = await (await call.runtime()).tools.detach(call.agent, name);
      return { json: { detached }, text: `"${call.agent}" ${detached ? "no longer has" : "did not have"} "${name}".` };
    },
  },
  "tools approval": {
    usage: "TOOL WHEN",
    summary: "set whether calls by an agent wait for your approval",
    details: "WHEN is always, never, or tool: as the stored tool says.",
    flags: ["agent"],
    async run(call, name, word) {
      const when = choiceOf(word, "WHEN", ["always", "never", "tool"]);
      await (await call.runtime()).tools.setApproval(call.agent, name, when === "tool" ? null : when === "always");
      return { text: `Calls of "${name}" by "${call.agent}" wait for approval: ${when}.` };
    },
  },
});

function agentTools(builtIn: Listed<"builtIn">, stored: Listed<"ofAgent">): Result {
  const rows = [
    ...builtIn.map(({ name, origin }) => ({ name, from: origin })),
    ...stored.map(({ name, kind, requiresApproval, agentRequiresApproval }) => {
      const waits = agentRequiresApproval ?? requiresApproval;
      return { name, from: `stored (${kind})${waits ? ", each call waits for approval" : ""}` };
    }),
  ];
  return { json: { builtIn, stored }, text: recordsText(rows, ["name", "from"], "The agent has no tools.") };
}
