// `palimpsest personas` and `palimpsest humans`: the texts that ship with the package.
import { codePointLength } from "../../../base/code-points.ts";
import { RequestError } from "../../../base/errors.ts";
import { nearestHint } from "../../../base/nearest-name.ts";
import type { Runtime, Starter } from "../../../runtime/runtime.ts";
import { commandTable } from "../command.ts";
import { clip, tableText } from "../format/listing-texts.ts";

type Topic = keyof Runtime["starters"];

export const commands = [...starterTable("personas", "--persona"), ...starterTable("humans", "--human")];

function starterTable(topic: Topic, flag: string) {
  return commandTable({
    [`${topic} list`]: {
      summary: `list the starter texts for ${flag}`,
      flags: ["json"],
      async run(call) {
        const starters = await (await call.runtime()).starters[topic]();
        const rows = starters.map(({ name, text }) => [name, String(codePointLength(text)), clip(text, 70)]);
        return {
          json: starters.map(starterShape),
          text: tableText(["NAME", "LENGTH", "BEGINS WITH"], rows, "There are none."),
        };
      },
    },
    [`${topic} show`]: {
      usage: "NAME",
      summary: "print a starter text",
      flags: ["json"],
      async run(call, name) {
        const starters = await (await call.runtime()).starters[topic]();
        const starter = starters.find((candidate) => candidate.name === name);
        if (starter === undefined) throw unknownStarter(topic, { name, starters });
        return { json: starterShape(starter), text: starter.text };
      },
    },
  });
}

function starterShape({ name, text }: Starter): object {
  return { name, length: codePointLength(text), text };
}

function unknownStarter(
  topic: Topic,
  { name, starters }: { readonly name: string; readonly starters: readonly Starter[] },
): RequestError {
  const names = starters.map((starter) => starter.name);
  const hint = nearestHint(name, names, "There are");
  return new RequestError("input_invalid", `No starter in ${topic} is named "${name}". ${hint}`);
}
