// Checks the labels of modules. The label of a skill's module is `skills/NAME`.
// Invariant: pure; every stored label is one that `isModuleLabel` accepts.

const skillFolder = "skills/";
const maxSkillName = 64;
/** The name of the file that contains a skill. The file's folder has the name of the skill. */
export const skillFile = "SKILL.md";

/** A label that can be used as the name of a tag in the prompt. */
export const plainLabel = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/u;

export function isModuleLabel(label: string): boolean {
  return plainLabel.test(label) || skillOfLabel(label) !== null;
}

/** Returns whether a text can name a skill: at most 64 lower-case letters and digits, with single hyphens between. */
export function isSkillName(name: string): boolean {
  return name.length <= maxSkillName && /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name);
}

export function skillLabel(name: string): string {
  return `${skillFolder}${name}`;
}

/** Returns the name of the skill with this label; null for another label. */
export function skillOfLabel(label: string): string | null {
  const name = label.startsWith(skillFolder) ? label.slice(skillFolder.length) : "";
  return isSkillName(name) ? name : null;
}
