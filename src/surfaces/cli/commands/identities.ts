// `palimpsest identities`: records about people and organizations that agents talk to.
import { commandTable } from "../command.ts";
import { recordsText, recordText } from "../format/listing-texts.ts";
import { pairOptions } from "../parse/contract-options.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { requireYes } from "../print.ts";

const contract = async () => (await import("../../../runtime/contracts.ts")).contracts.identities;

export const commands = commandTable({
  "identities list": {
    summary: "list identities, newest first",
    flags: ["limit", "after", "json"],
    async run(call) {
      const { after } = call.line.texts;
      const range = { limit: limitFlag(call.line), ...given({ after }) };
      const identities = await (await call.runtime()).identities.list(range);
      return {
        json: identities,
        text: recordsText(identities, ["name", "kind", "key", "id"], "There are no identities."),
      };
    },
  },
  "identities show": {
    usage: "ID",
    summary: "show an identity with its properties",
    flags: ["json"],
    async run(call, id) {
      const identity = await (await call.runtime()).identities.find(id);
      return { json: identity, text: recordText(identity) };
    },
  },
  "identities add": {
    usage: "KEY VALUE [KEY VALUE ...]",
    summary: "create an identity",
    details: "The key is your own id for it: identities add key ada@example.com name Ada.",
    flags: ["json"],
    takes: { min: 2, max: 100 },
    pairs: async () => (await contract()).create.args[0],
    async run(call) {
      const options = pairOptions(call.words, (await contract()).create.args[0]);
      const identity = await (await call.runtime()).identities.create(options);
      return { json: identity, text: recordText(identity) };
    },
  },
  "identities set": {
    usage: "ID KEY VALUE [KEY VALUE ...]",
    summary: "change an identity",
    flags: ["json"],
    takes: { min: 3, max: 100 },
    pairs: async () => (await contract()).update.args[1],
    async run(call, id) {
      const change = pairOptions(call.words.slice(1), (await contract()).update.args[1]);
      const identity = await (await call.runtime()).identities.update(id, change);
      return { json: identity, text: recordText(identity) };
    },
  },
  "identities remove": {
    usage: "ID --yes",
    summary: "delete an identity; agents stay",
    flags: ["yes"],
    async run(call, id) {
      requireYes(call, `the identity ${id}`);
      await (await call.runtime()).identities.delete(id);
      return { text: `Deleted the identity ${id}.` };
    },
  },
});
