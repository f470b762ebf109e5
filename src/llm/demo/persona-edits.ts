// The agent's own name: read from the persona module, and changed there when the person gives another.
// Invariant: only the name changes; the rest of the persona stays as it is.
import { tidyValue } from "./fact.ts";
import { appendLine, type EditedText, replaceSpan } from "./memory-edits.ts";

const nameInPersona = /(?:my name is|your name is|^name:|i am called|i'm called) ?([^\n.,;]{1,60})/im;
const selfInPersona = /\b(?:I am|I'm|You are) (\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)?)/u;
const naming =
  /^(?:from now on,? )?(?:your (?:new )?name (?:is|will be|shall be)(?: now)?|call yourself|you are (?:now )?called|rename yourself(?: to)?|i(?:'ll| will)(?: now)? call you|change your name to) (.+)$/i;

/** The name that a persona gives itself. */
export function personaName(persona: string): string | undefined {
  const name = nameInPersona.exec(persona)?.[1] ?? selfInPersona.exec(persona)?.[1];
  return name === undefined ? undefined : tidyValue(name);
}

/** The name in a sentence that names the agent, or undefined. */
export function readNaming(sentence: string): string | undefined {
  const name = naming.exec(sentence)?.[1]?.split(/, | and | because /i)[0];
  const tidy = name === undefined ? "" : tidyValue(name);
  return tidy === "" || /^(?:not|what|when|later|tomorrow|back)\b/i.test(tidy) ? undefined : tidy;
}

/** The edits that give the agent a name. */
export function editsForNaming(text: EditedText, name: string): EditedText {
  const known = nameInPersona.exec(text.value);
  if (known === null) return renameSelf(text, name);
  if (tidyValue(known[1]!) === name) return text;
  const start = known[0].slice(0, known[0].length - known[1]!.length);
  return replaceSpan(text, known[0], `${start}${name}`);
}

/** "I am Scout" becomes "My name is Nemo" where it stands alone and once; otherwise the new name is a line of its own. */
function renameSelf(text: EditedText, name: string): EditedText {
  const self = selfInPersona.exec(text.value)?.[0];
  const isClear =
    self !== undefined &&
    text.value.split(self).length === 2 &&
    /^(?:[.,\n]|$)/.test(text.value.slice(text.value.indexOf(self) + self.length));
  if (!isClear) return appendLine(text, `My name is ${name}.`);
  return replaceSpan(text, self, `${self.startsWith("You") ? "Your" : "My"} name is ${name}`);
}
