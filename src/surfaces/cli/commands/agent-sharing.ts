// `palimpsest agents`: exports agents to files, imports them, and shares them with other users.
import { commandTable } from "../command.ts";
import { countsText, minute, tableText } from "../format/listing-texts.ts";
import { writeText } from "../new-file.ts";
import { choiceFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { readText } from "../parse/read-text.ts";
import { notice } from "../print.ts";
import { agentDetailShape, agentShape } from "./agents.ts";

export const commands = commandTable({
  "agents export": {
    usage: "FILE|-",
    summary: "export an agent with all its data as an agent file",
    details:
      "Writes a file in Letta's format (.af), which is extended by memory, revisions, all conversations and the archive.\n" +
      "agents import reads the file. Contents of attached files are not included.",
    flags: ["agent"],
    async run(call, file) {
      const exported = await (await call.runtime()).agents.export(call.agent);
      return writeText(call, file, { text: `${JSON.stringify(exported)}\n`, what: `the agent "${call.agent}"` });
    },
  },
  "agents import": {
    usage: "FILE|-",
    summary: "create the agents of an agent file",
    details:
      "Reads files of agents export and Letta's agent files (.af), also older ones. All texts get the trust class external,\n" +
      "and tools with source code wait for your approval, unless --keep-trust says that the file is your own.",
    flags: ["name", "suffix", "model", "without-messages", "existing-tools", "keep-trust", "json"],
    async run(call, file) {
      const { line } = call;
      const { name, suffix, model } = line.texts;
      const text = await readText(file, call.world);
      const existingTools = choiceFlag(line, "existing-tools", ["keep", "replace"]);
      const runtime = await call.runtime();
      const { agents, counts, notes } = await runtime.agents.import(text, {
        ...given({ name, suffix, model, existingTools }),
        withoutMessages: line.switches.has("without-messages"),
        keepTrust: line.switches.has("keep-trust"),
      });
      await runtime.idle();
      for (const note of notes) notice(call, note);
      const names = agents.map((agent) => `"${agent.name}"`).join(", ");
      return {
        json: { agents: agents.map(agentShape), counts, notes },
        text: `Imported ${names}: ${countsText(counts) || "nothing new"}.`,
      };
    },
  },
  "agents share": {
    usage: "NAME USER",
    summary: "offer another user the use of your agent",
    details:
      "The user accepts with agents accept OWNER/NAME. All users share the persona; each has separate memory,\n" +
      "conversations and archive.",
    async run(call, name, user) {
      const runtime = await call.runtime();
      await runtime.agents.share(name, user);
      const accept = `${call.world.command} agents accept ${runtime.userId}/${name}`;
      return { text: `Offered "${name}" to "${user}", who can accept it: ${accept}` };
    },
  },
  "agents unshare": {
    usage: "NAME USER",
    summary: "stop sharing an agent, or withdraw the offer",
    details: "The user keeps their own conversations with the agent, and can read and export them.",
    async run(call, name, user) {
      const isEnded = await (await call.runtime()).agents.unshare(name, user);
      return { text: `"${name}" ${isEnded ? "is no longer" : "was not"} shared with "${user}".` };
    },
  },
  "agents offers": {
    summary: "list agents that other users offer you",
    flags: ["json"],
    async run(call) {
      const offers = await (await call.runtime()).agents.offers();
      return {
        json: offers,
        text: tableText(
          ["NAME", "OWNER", "OFFERED (UTC)", "ID"],
          offers.map(({ name, ownerId, at, agentId }) => [name, ownerId, minute(at), agentId]),
          "No agent is offered to you.",
        ),
      };
    },
  },
  "agents accept": {
    usage: "OWNER/NAME",
    summary: "accept an offer to use another user's agent",
    details: "The owner can change its persona and instructions. To stop using it: agents leave.",
    flags: ["json"],
    async run(call, offer) {
      const agent = await (await call.runtime()).agents.accept(offer);
      return {
        json: agentDetailShape(agent),
        text: `You can now use "${agent.name}" of "${agent.ownerId}": ${call.world.command} -a ${agent.name}`,
      };
    },
  },
  "agents decline": {
    usage: "OWNER/NAME",
    summary: "decline an offer to use another user's agent",
    async run(call, offer) {
      await (await call.runtime()).agents.decline(offer);
      return { text: `Declined "${offer}".` };
    },
  },
  "agents leave": {
    usage: "OWNER/NAME",
    summary: "stop using another user's agent",
    details:
      "You can still read and export your conversations, memory and archive with it; agents remove deletes them.",
    async run(call, name) {
      await (await call.runtime()).agents.leave(name);
      return { text: `You no longer use "${name}". Your conversations and memory with it can still be read.` };
    },
  },
});
