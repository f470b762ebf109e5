// `palimpsest turns`: records of turns and of their model calls.
import { commandTable } from "../command.ts";
import { recordsText, recordText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";

export const commands = commandTable({
  "turns list": {
    summary: "list the turns of an agent, newest first",
    flags: ["agent", "resume", "limit", "after", "json"],
    async run(call) {
      const { after, resume: conversation } = call.line.texts;
      const range = { agent: call.agent, limit: limitFlag(call.line), ...given({ after, conversation }) };
      const turns = await (await call.runtime()).turns.list(range);
      const columns = ["createdAt", "state", "stopReason", "conversationId", "id"] as const;
      return { json: turns, text: recordsText(turns, columns, `"${call.agent}" has had no turn yet.`) };
    },
  },
  "turns show": {
    usage: "ID",
    summary: "show a turn with its model calls",
    flags: ["json"],
    async run(call, id) {
      const { turns } = await call.runtime();
      const [turn, steps] = [await turns.find(id), await turns.steps(id)];
      const calls = recordsText(steps, ["number", "model", "finish", "usage", "at"], "No model call was made.");
      return { json: { ...turn, steps }, text: `${recordText(turn)}\n\n${calls}` };
    },
  },
});
