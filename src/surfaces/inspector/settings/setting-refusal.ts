// Converts the server's message about a refused setting to the words of the page.
// Invariant: pure.
import type { Amount } from "./setting-entry.ts";
import { type NamedEntry, settingGroups } from "./setting-groups.ts";
import { capitalized, decimal } from "./setting-texts.ts";

const labels = settingGroups.flatMap(({ common, rare }) => [...common, ...rare]);

/**
 * Returns the message without the setting's name, with labels instead of other names, and with numbers in the unit of the
 * page: `Expected a number over 0 % and at most 100 %, got 120 %.` for a share. Null if the message is not about the value of a
 * setting.
 */
export function refusalText(message: string, { name, control }: NamedEntry): string | null {
  const found = /^\w+: (expected .*), got (.*)\.$/su.exec(message);
  if (found === null) return null;
  const [, expected = "", actual = ""] = found;
  const amounts = control.kind === "amounts" ? control.amounts : [];
  if ("expected" in control && control.expected !== undefined) {
    return `${refusedPart(amounts, actual)}Expected ${control.expected}.`;
  }
  const others = labels.filter((other) => other.name !== name);
  const text = others.reduce(
    (named, { name: other, label }) => named.replaceAll(new RegExp(String.raw`\b${other}\b`, "gu"), `“${label}”`),
    `${capitalized(expected)}, got ${actual}.`,
  );
  const [first] = amounts;
  return first === undefined ? text : text.replaceAll(/\d+(?:\.\d+)?/gu, (digits) => inUnit(Number(digits), first));
}

/** Returns the label of the part that the server refused, as the beginning of a sentence; "" if it named none. */
function refusedPart(amounts: readonly Amount[], actual: string): string {
  const path = / at "([\w.]+)"$/u.exec(actual)?.[1];
  const part = amounts.find((amount) => amount.path.join(".") === path);
  return part === undefined ? "" : `${part.label}: `;
}

function inUnit(number: number, { unit }: Amount): string {
  if ("seconds" in unit || unit.scale === undefined) return decimal.format(number);
  return `${decimal.format(number * unit.scale)} ${unit.one}`;
}
