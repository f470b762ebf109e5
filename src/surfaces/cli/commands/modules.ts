// `palimpsest modules`: core memory that several agents and users can hold.
import { codePointLength } from "../../../base/code-points.ts";
import { commandTable } from "../command.ts";
import { alignColumns, editText, indent, minute, tableText, tagText, trustText } from "../format/listing-texts.ts";
import { choiceFlag, limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import {
  heldModule,
  moduleNames,
  moduleOfAgent,
  moduleOfAny,
  namedModule,
  offeredModule,
  offerNames,
} from "../parse/named-module.ts";
import { textOf } from "../parse/read-text.ts";
import type { HeldModule, ModuleHolder, ModuleRecipient, Revision, SharedModule } from "../runtime-records.ts";
import { requireYes } from "../print.ts";

export const commands = commandTable({
  "modules list": {
    summary: "list modules of your agents, and those shared with you",
    flags: ["tag", "limit", "json"],
    async run(call) {
      const limit = limitFlag(call.line);
      const runtime = await call.runtime();
      const modules = await runtime.modules.list({ limit, ...given({ tags: call.line.lists.tag }) });
      const rows = await Promise.all(modules.map((module) => heldModule(runtime, module)));
      return { json: rows.map(moduleShape), text: modulesText(rows) };
    },
  },
  "modules show": {
    usage: "MODULE",
    summary: "show a module, who holds it and with whom it is shared",
    details: moduleNames,
    flags: ["agent", "json"],
    async run(call, word) {
      const module = await heldModule(await call.runtime(), await namedModule(call, word));
      return { json: moduleShape(module), text: moduleText(module) };
    },
  },
  "modules history": {
    usage: "MODULE",
    summary: "show the edits of a module by all holders, newest first",
    details: moduleNames,
    flags: ["agent", "limit", "json"],
    async run(call, word) {
      const limit = limitFlag(call.line);
      const { modules } = await call.runtime();
      const { id } = await namedModule(call, word);
      const [revisions, holders] = [await modules.revisions(id, limit), await modules.holders(id)];
      const text = revisions.map((revision) => changeText(revision, holders)).join("\n\n");
      return { json: revisions, text: text === "" ? "There are no edits yet." : text };
    },
  },
  "modules add": {
    usage: "LABEL [TEXT]",
    summary: "create a module that several agents can hold",
    details: "TEXT - reads the text from standard input. To give the module to an agent: modules attach.",
    flags: ["description", "tag", "json"],
    async run(call, label, word?: string) {
      const { description } = call.line.texts;
      const { tag: tags = [] } = call.line.lists;
      const value = word === undefined ? "" : await textOf(word, call.world);
      const module = await (await call.runtime()).modules.create({ label, value, tags, ...given({ description }) });
      const attach = `${call.world.command} modules attach ${module.id} -a NAME`;
      return {
        json: moduleShape(module),
        text: `Created the module "${module.label}": ${module.id}. To give it to an agent: ${attach}`,
      };
    },
  },
  "modules set": {
    usage: "MODULE TEXT",
    summary: "replace the text of a module, for all who hold it",
    details: `TEXT - reads the text from standard input. ${moduleNames}`,
    flags: ["agent", "json"],
    async run(call, word, textWord) {
      const { id } = await namedModule(call, word);
      const value = await textOf(textWord, call.world);
      const module = await (await call.runtime()).modules.update(id, { value });
      return {
        json: moduleShape(module),
        text: `Set "${module.label}" (${codePointLength(module.value)}/${module.limit} characters), revision ${module.revision}.`,
      };
    },
  },
  "modules remove": {
    usage: "MODULE --yes",
    summary: "delete a module with its history, for every holder",
    details: moduleNames,
    flags: ["agent", "yes"],
    async run(call, word) {
      const { modules } = await call.runtime();
      const { id, label } = await namedModule(call, word);
      const names = (await modules.holders(id)).map(({ agentName }) => agentName).join(", ");
      requireYes(call, `the module "${label}" with its history${names === "" ? "" : `, which ${names} would lose`}`);
      await modules.delete(id);
      return { text: `Deleted the module "${label}".` };
    },
  },
  "modules attach": {
    usage: "MODULE",
    summary: "attach a module to an agent",
    details: "MODULE is an id, or a label that only one module has. The agent's next request contains the module.",
    flags: ["agent"],
    async run(call, word) {
      const { modules } = await call.runtime();
      const { id, label } = await moduleOfAny(call, word);
      const isNew = await modules.attach(call.agent, id);
      return { text: isNew ? `"${call.agent}" now has "${label}".` : `"${call.agent}" had "${label}" already.` };
    },
  },
  "modules detach": {
    usage: "MODULE",
    summary: "detach a module from an agent (deletes nothing)",
    details: "MODULE is an id, or the label of a module of the agent.",
    flags: ["agent"],
    async run(call, word) {
      const { modules } = await call.runtime();
      const { id, label } = await moduleOfAgent(call, word);
      const isEnded = await modules.detach(call.agent, id);
      return {
        text: isEnded
          ? `"${call.agent}" no longer has "${label}". The module stays.`
          : `"${call.agent}" did not have "${label}".`,
      };
    },
  },
  "modules share": {
    usage: "MODULE USER",
    summary: "offer a module to another user, or change the access",
    details: `The user accepts with modules accept, and attaches it to own agents. ${moduleNames}`,
    flags: ["agent", "access"],
    async run(call, word, user) {
      const access = choiceFlag(call.line, "access", ["read", "append", "write"]) ?? "read";
      const { modules } = await call.runtime();
      const { id, label } = await namedModule(call, word);
      await modules.share(id, user, access);
      const accept = `${call.world.command} modules accept ${id} --user ${user}`;
      return { text: `Offered "${label}" to "${user}" (${access}), who can accept it: ${accept}` };
    },
  },
  "modules unshare": {
    usage: "MODULE [USER]",
    summary: "end or withdraw the sharing of a module with a user",
    details: `The user's agents lose the module. Without USER: stop using a module of another user. ${moduleNames}`,
    flags: ["agent"],
    async run(call, word, named?: string) {
      const { modules, userId } = await call.runtime();
      const user = named ?? userId;
      const { id, label } = await namedModule(call, word);
      const isEnded = await modules.unshare(id, user);
      return { text: `"${label}" ${isEnded ? "is no longer" : "was not"} shared with "${user}".` };
    },
  },
  "modules offers": {
    summary: "list modules that other users offer you",
    flags: ["json"],
    async run(call) {
      const offers = await (await call.runtime()).modules.offers();
      return {
        json: offers,
        text: tableText(
          ["LABEL", "OWNER", "ACCESS", "OFFERED (UTC)", "ID"],
          offers.map(({ label, ownerId, access, at, moduleId }) => [label, ownerId, access, minute(at), moduleId]),
          "No module is offered to you.",
        ),
      };
    },
  },
  "modules accept": {
    usage: "MODULE",
    summary: "accept a module that another user offers",
    details: offerNames,
    flags: ["json"],
    async run(call, word) {
      const offer = await offeredModule(call, word);
      const module = await (await call.runtime()).modules.accept(offer.moduleId);
      const attach = `${call.world.command} modules attach ${module.id} -a NAME`;
      return {
        json: moduleShape(module),
        text: `You can now use "${module.label}" of "${module.ownerId}" (${offer.access}): ${attach}`,
      };
    },
  },
  "modules decline": {
    usage: "MODULE",
    summary: "decline a module that another user offers",
    details: offerNames,
    async run(call, word) {
      const { moduleId, label } = await offeredModule(call, word);
      await (await call.runtime()).modules.decline(moduleId);
      return { text: `Declined "${label}".` };
    },
  },
});

function moduleShape<Module extends SharedModule>(module: Module): Module & { readonly length: number } {
  return { ...module, length: codePointLength(module.value) };
}

function modulesText(modules: readonly HeldModule[]): string {
  return tableText(
    ["LABEL", "OWNER", "ACCESS", "SIZE", "HELD BY", "SHARED WITH", "ID"],
    modules.map((module) => [
      module.label,
      module.ownerId,
      module.access,
      sizeText(module),
      holdersText(module.holders),
      recipientsText(module.recipients),
      module.id,
    ]),
    "There are no modules yet. `palimpsest modules add LABEL` creates one.",
  );
}

function moduleText(module: HeldModule): string {
  const { id, ownerId, label, description, value, access, readOnly, revision, trust, tags } = module;
  const facts = alignColumns([
    ["label", label],
    ["id", id],
    ["owner", ownerId],
    ["access", readOnly ? `${access}, read-only for agents` : access],
    ["held by", holdersText(module.holders) || "no agent"],
    ...(module.recipients === null ? [] : [["shared with", recipientsText(module.recipients) || "nobody"]]),
    ...(description === null ? [] : [["description", description]]),
    ...(tags.length === 0 ? [] : [["tags", tagText(tags)]]),
    ["size", `${sizeText(module)} characters, revision ${revision}`],
    ["trust", trustText(trust) || trust],
  ]);
  return `${facts}\ntext\n${value === "" ? "  (empty)" : indent(value)}`;
}

function changeText(edit: Revision, holders: readonly ModuleHolder[]): string {
  const { revision, origin, toolName, editorId, agentId } = edit;
  const agent = holders.find((holder) => holder.agentId === agentId);
  const by = agent === undefined ? editorId : `${agent.agentName} of ${editorId}`;
  const how = toolName === null ? origin : `${origin}, ${toolName}`;
  return editText(edit, `revision ${revision}, by ${by} (${how})`);
}

function sizeText({ value, limit }: Pick<HeldModule, "value" | "limit">): string {
  return `${codePointLength(value)}/${limit}`;
}

function holdersText(holders: readonly ModuleHolder[]): string {
  return holders.map(({ agentName }) => agentName).join(", ");
}

function recipientsText(recipients: readonly ModuleRecipient[] | null): string {
  return (recipients ?? [])
    .map(({ userId, access, state }) => `${userId} (${state === "offered" ? `${access}, offered` : access})`)
    .join(", ");
}
