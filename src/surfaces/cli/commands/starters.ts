// `palimpsest personas` and `palimpsest humans`: the texts that ship with the program.
import { nearestName } from "../../../base/nearest-name.ts";
import { codePointLength } from "../../../base/code-points.ts";
import { RequestError } from "../../../base/errors.ts";
import type { Runtime, Starter } from "../../../runtime/runtime.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { clip, tableText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

type Topic = keyof Runtime["starters"];
const flagOfTopic = { personas: "--persona", humans: "--human" } as const;

export const personasList = listCommand("personas");
export const personasShow = showCommand("personas");
export const humansList = listCommand("humans");
export const humansShow = showCommand("humans");

function listCommand(topic: Topic): Command {
  return {
    words: [topic, "list"],
    usage: "",
    summary: `list the starter texts for ${flagOfTopic[topic]}`,
    flags: ["json", ...storeFlags],
    takes: { min: 0, max: 0 },
    async run(call) {
      const starters = await (await call.runtime()).starters[topic]();
      const rows = starters.map(({ name, text }) => [name, String(codePointLength(text)), clip(text, 70)]);
      printResult(call, {
        json: starters.map(starterShape),
        text: tableText(["NAME", "LENGTH", "BEGINS WITH"], rows, "There are none."),
      });
      return 0;
    },
  };
}

function showCommand(topic: Topic): Command {
  return {
    words: [topic, "show"],
    usage: "NAME",
    summary: "print a starter text",
    flags: ["json", ...storeFlags],
    takes: { min: 1, max: 1 },
    async run(call) {
      const name = wordAt(call, 0);
      const starters = await (await call.runtime()).starters[topic]();
      const starter = starters.find((candidate) => candidate.name === name);
      if (starter === undefined) throw unknownStarter(topic, { name, starters });
      printResult(call, { json: starterShape(starter), text: starter.text });
      return 0;
    },
  };
}

function starterShape({ name, text }: Starter): object {
  return { name, length: codePointLength(text), text };
}

function unknownStarter(
  topic: Topic,
  { name, starters }: { readonly name: string; readonly starters: readonly Starter[] },
): RequestError {
  const names = starters.map((starter) => starter.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? `There are: ${names.join(", ")}.` : `Did you mean "${near}"?`;
  return new RequestError("input_invalid", `No starter in ${topic} is named "${name}". ${hint}`);
}
