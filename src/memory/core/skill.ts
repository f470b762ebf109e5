// A skill: a text in the form of agentskills.io (SKILL.md: `name` and `description` between lines of ---, then instructions). It is
// the text of a module with the label `skills/NAME`.
// Invariant: pure; a text is kept as it is, and no part of it is ever run. An empty text is a skill that does not exist.
import { codePointLength, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { isSkillName, skillFile, skillOfLabel } from "../../base/module-label.ts";

/** Maximum length of a skill's text, in code points: about 10,000 tokens. The specification advises 5,000. */
export const skillLimit = 40_000;
/** The name of the only tool that may change skills: each of its calls needs approval. */
export const skillWriter = "write_skill";
const maxDescription = 1024;

export interface SkillText {
  readonly name: string | null;
  /** The description on one line; empty if the text has none. */
  readonly description: string;
  /** The entries of the front matter, in their order; null without front matter. */
  readonly entries: readonly FrontEntry[] | null;
  readonly body: string;
}

interface FrontEntry {
  readonly key: string;
  /** The text on one line; null if YAML does not read the value as a text, for example a list. */
  readonly value: string | null;
  /** The lines of the entry. */
  readonly written: string;
}

/** Returns the path of a skill's file for its label. */
export function skillPath(label: string): string {
  return `${label}/${skillFile}`;
}

/** Returns the label of the skill with this file; null for another path. */
export function skillOfPath(path: string): string | null {
  const label = path.endsWith(`/${skillFile}`) ? path.slice(0, -skillFile.length - 1) : "";
  return skillOfLabel(label) === null ? null : label;
}

/** Parses a skill's stored text. A text without front matter is only a body. */
export function readSkill(text: string): SkillText {
  const [opening, ...lines] = text.replace(/^\uFEFF/u, "").split("\n");
  const end = opening?.trimEnd() === "---" ? lines.findIndex((line) => line.trimEnd() === "---") : -1;
  if (end === -1) return { name: null, description: "", entries: null, body: text };
  const entries = entriesOf(lines.slice(0, end));
  const valueOf = (key: string) => entries.find((entry) => entry.key === key)?.value;
  const body = lines.slice(end + 1).join("\n");
  return { name: valueOf("name") ?? null, description: valueOf("description") ?? "", entries, body };
}

/** Returns the entries in these lines. A line that is indented, empty or a comment belongs to the entry above it. */
function entriesOf(lines: readonly string[]): readonly FrontEntry[] {
  const written: string[][] = [];
  for (const line of lines) {
    if (/^[^\s#]/u.test(line) || written.length === 0) written.push([line]);
    else written.at(-1)?.push(line);
  }
  return written.map(([first = "", ...rest]) => {
    const colon = first.indexOf(":");
    const [key, start] = colon === -1 ? [first, ""] : [first.slice(0, colon), first.slice(colon + 1)];
    return { key: key.trim(), value: scalarOf(start, rest), written: [first, ...rest].join("\n") };
  });
}

/** Values that YAML does not read as a text: a list, an object, an alias, and a value with an anchor or a tag. */
const noText = /^(?:\[.*\]|\{.*\}|-(?:\s.*)?|\*\S+|[&!]\S+(?:\s.*)?)$/u;

/** Returns a YAML text on one line; null for other values. Also accepts invalid YAML such as `Use it when: always`. */
function scalarOf(start: string, rest: readonly string[]): string | null {
  const isBlock = /^[|>][-+0-9]*$/u.test(start.trim());
  const lines = isBlock ? rest : [start, ...rest];
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
  if (isBlock) return text;
  if (/^'.*'$/u.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/u.test(text)) {
    const plain = text.replace(/(?:^|\s)#.*$/u, "").trim();
    return noText.test(plain) ? null : plain;
  }
  try {
    return String(JSON.parse(text)).replace(/\s+/gu, " ").trim();
  } catch {
    return text.slice(1, -1);
  }
}

/** Returns why a text cannot be the skill of this name, as `expected …, got …`; null if it can. */
export function skillFault(name: string, text: string): string | null {
  if (!isSkillName(name)) {
    return `expected a name of 1 to 64 lower-case letters and digits, with single hyphens between them, got ${JSON.stringify(name)}`;
  }
  const length = codePointLength(text);
  if (length > skillLimit) return `expected at most ${skillLimit} characters, got ${length}`;
  const skill = readSkill(text);
  if (skill.entries === null)
    return "expected front matter with `name` and `description` between two lines of ---, got none";
  const odd = skill.entries.find(({ key, value }) => value === null && ["name", "description"].includes(key));
  if (odd !== undefined)
    return `expected a text as \`${odd.key}\` in its front matter, got a list, an object, an alias, an anchor or a tag`;
  if (skill.name !== name)
    return `expected the name ${JSON.stringify(name)} in its front matter, got ${JSON.stringify(skill.name)}`;
  const described = codePointLength(skill.description);
  if (described === 0 || described > maxDescription)
    return `expected a \`description\` of 1 to ${maxDescription} characters in its front matter, got ${described}`;
  return null;
}

/** Throws RequestError `input_invalid` for a text that cannot be the skill of this name. */
export function requireSkill(name: string, text: string): void {
  const fault = skillFault(name, text);
  if (fault !== null) throw new RequestError("input_invalid", `No skill was written: ${fault}.`);
}

/** Returns the text of a skill. `before`: its current text; the other entries of its front matter are kept. */
export function skillText(name: string, skill: Pick<SkillText, "description" | "body">, before: string): string {
  const own = ["name", "description"];
  const others = (readSkill(before).entries ?? []).filter(({ key }) => !own.includes(key));
  const description = skill.description.replace(/\s+/gu, " ").trim();
  const isPlain = /^[\p{L}\p{N}](?:[^:#]|:(?! ))*$/u.test(description) && !description.endsWith(":");
  return storableText(
    [
      "---",
      `name: ${name}`,
      `description: ${isPlain ? description : JSON.stringify(description)}`,
      ...others.map(({ written }) => written),
      "---",
      "",
      `${skill.body.trim()}\n`,
    ].join("\n"),
  );
}
