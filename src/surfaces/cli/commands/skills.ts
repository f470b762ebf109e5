// `palimpsest skills`: the skills of an agent, which are texts in the form of agentskills.io.
// Invariant: only SKILL.md of a folder is read, and nothing is run; a file that is not a valid skill changes nothing.
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ConfigError, RuntimeError } from "../../../base/errors.ts";
import { skillFile } from "../../../base/module-label.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { tableText } from "../format/listing-texts.ts";
import { decode } from "../parse/read-text.ts";
import type { Skill } from "../runtime-records.ts";

/** Maximum bytes of a file that is read: more than a skill can have. */
const maxBytes = 200_000;

export const commands = commandTable({
  "skills list": {
    summary: "list the skills of an agent",
    flags: ["agent", "json"],
    async run(call) {
      const skills = await (await call.runtime()).skills.list(call.agent);
      const rows = skills.map((one) => [
        one.name,
        one.trust,
        String(one.length),
        String(one.revision),
        one.description,
      ]);
      const heading = ["NAME", "TRUST", "LENGTH", "REVISION", "DESCRIPTION"];
      return { json: skills, text: tableText(heading, rows, "There are no skills.") };
    },
  },
  "skills show": {
    usage: "NAME",
    summary: "show the text of a skill",
    flags: ["agent", "json"],
    async run(call, name) {
      const skill = await (await call.runtime()).skills.find(call.agent, name);
      return { json: skill, text: skill.text.trimEnd() };
    },
  },
  "skills add": {
    usage: "DIR [--external] [--replace]",
    summary: "add the skill in a folder, or every skill below it",
    details:
      "DIR is a folder that has its skill's name and contains SKILL.md, or a folder of such folders. Only SKILL.md is stored;\n" +
      "nothing is run. What you add is trusted like your own words: read it first, or mark it as somebody else's: --external.",
    flags: ["agent", "external", "replace", "json"],
    async run(call, folder) {
      const results: AddedSkill[] = [];
      for (const one of await skillFolders(path.resolve(folder))) results.push(await addSkill(call, one));
      const exitCode = results.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.done;
      return { json: results, text: results.flatMap(linesOf).join("\n"), exitCode };
    },
  },
  "skills remove": {
    usage: "NAME",
    summary: "remove a skill from an agent",
    details: "`palimpsest memory undo skills/NAME` brings it back. Only `palimpsest forget` removes its text.",
    flags: ["agent", "json"],
    async run(call, name) {
      await (await call.runtime()).skills.remove(call.agent, name);
      return { json: { name }, text: `Removed ${name}. \`palimpsest memory undo skills/${name}\` brings it back.` };
    },
  },
});

interface AddedSkill {
  readonly name: string;
  readonly skill?: Omit<Skill, "text">;
  readonly problem?: string;
  /** Other files of the folder, which are not stored. */
  readonly leftOut: readonly string[];
}

/** Returns the folder if it has SKILL.md, otherwise its subfolders that have one. Throws ConfigError if none has. */
async function skillFolders(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new ConfigError(`Cannot read the folder ${folder}: ${reasonOf(cause)}.`, { cause });
  });
  if (names.includes(skillFile)) return [folder];
  const below = names.toSorted().map((name) => path.join(folder, name));
  const are = await Promise.all(below.map((one) => stat(path.join(one, skillFile)).then(Boolean, () => false)));
  const found = below.filter((_, at) => are[at]);
  if (found.length === 0) throw new ConfigError(`Expected ${skillFile} in ${folder} or in its subfolders, found none.`);
  return found;
}

async function addSkill(call: CommandCall, folder: string): Promise<AddedSkill> {
  const { skills } = await call.runtime();
  const name = path.basename(folder);
  const files = (await readdir(folder)).filter((file) => file !== skillFile && !file.startsWith(".")).toSorted();
  try {
    const text = await readSkillFile(path.join(folder, skillFile));
    const there = (await skills.list(call.agent)).some((one) => one.name === name);
    if (there && !call.line.switches.has("replace") && (await skills.find(call.agent, name)).text !== text)
      throw new ConfigError("the stored skill of this name has another text. To replace it, add --replace.");
    const skill = await skills.write(call.agent, name, text, { external: call.line.switches.has("external") });
    return { name, skill, leftOut: files };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return { name, problem: error.message, leftOut: [] };
  }
}

async function readSkillFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw new ConfigError(`expected at most ${maxBytes} bytes in ${skillFile}, got ${size}.`);
    return decode(await readFile(file));
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`cannot read ${skillFile}: ${reasonOf(cause)}.`, { cause });
  }
}

function linesOf({ name, skill, problem, leftOut }: AddedSkill): readonly string[] {
  if (skill === undefined) return [`refused   ${name}: ${problem}`];
  const others = `left out  ${leftOut.join(", ")}: only ${skillFile} is stored, and nothing is run.`;
  const added = `added     ${name} (revision ${skill.revision}, trust ${skill.trust})`;
  return leftOut.length === 0 ? [added] : [added, others];
}
