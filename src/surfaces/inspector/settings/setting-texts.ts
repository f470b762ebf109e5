// Formats the values of settings for display and for input fields, and parses the texts of input fields.
// Invariant: pure; a text that is not a number is sent unchanged, and the server's error names the expected form.
import { countText } from "../parts/number-text.ts";
import { tagsIn } from "../passages/tags-in.ts";
import { ruleIn, ruleLines } from "./rule-text.ts";
import type { Amount, AmountsControl, ChoiceControl, Control, Duration, SettingEntry, Unit } from "./setting-entry.ts";

/** Writes a number of a setting. */
export const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** Seconds of each unit of a duration, smallest first. */
export const durationUnits: readonly (readonly [name: string, seconds: number])[] = [
  ["second", 1],
  ["minute", 60],
  ["hour", 3600],
  ["day", 86_400],
];

/** Returns the value in words, such as `50 model calls`, `No limit` or `After 10 minutes`. A text is returned unchanged. */
export function valueText({ control, default: usual }: SettingEntry, value: unknown): string {
  const words = wordsOf(control, value, usual);
  const isData = control.kind === "names" || (control.kind === "text" && value !== null);
  return isData ? words : capitalized(words);
}

/** Whether a value is the default that ships with the program. */
export function isDefault({ control, default: usual }: SettingEntry, value: unknown): boolean {
  if (usual === undefined) return false;
  return fieldTexts(control, value).join("\n") === fieldTexts(control, usual).join("\n");
}

function wordsOf(control: Control, value: unknown, usual: unknown): string {
  switch (control.kind) {
    case "switch":
      return value === control.on ? "on" : "off";
    case "choice":
      return choiceText(control, value);
    case "amounts":
      return amountsText(control, value, usual);
    case "text":
      return value === null ? (control.none ?? "") : textOf(value);
    case "prose":
      return countText([...textOf(value)].length, "character");
    default:
      return listText(control, namesOf(value));
  }
}

function choiceText({ words, none = "" }: ChoiceControl, value: unknown): string {
  return (words as Readonly<Record<string, string>>)[textOf(value)] ?? none;
}

function listText(
  { kind, none }: Extract<Control, { readonly kind: "names" | "rules" | "tools" }>,
  items: readonly string[],
) {
  if (items.length === 0) return none;
  return kind === "names" ? items.join(", ") : countText(items.length, kind === "rules" ? "rule" : "tool");
}

/** Returns the numbers in words. Of more than three numbers, names only those that differ from the default. */
function amountsText({ amounts, same }: AmountsControl, value: unknown, usual: unknown): string {
  const [first] = amounts;
  if (first !== undefined && first.path.length === 0) return amountText(first, value);
  const named = amounts.filter(
    (amount) => amounts.length <= 3 || partOf(value, amount.path) !== partOf(usual, amount.path),
  );
  if (named.length === 0) return same ?? "";
  return named.map((amount) => `${amount.label} ${amountText(amount, partOf(value, amount.path))}`).join("; ");
}

function amountText({ unit, none = "" }: Amount, value: unknown): string {
  if (typeof value !== "number") return none;
  if ("seconds" in unit) {
    const [name, seconds] = durationUnitOf(value, unit);
    const text = counted((value * unit.seconds) / seconds, { one: name });
    return unit.before === undefined ? text : `${unit.before} ${text}`;
  }
  return counted(shownNumber(value, unit), unit);
}

function counted(number: number, { one, many = `${one}s` }: Unit): string {
  return `${decimal.format(number)} ${number === 1 ? one : many}`.trim();
}

function shownNumber(value: number, { scale = 1 }: Unit): number {
  // Removes rounding errors: 0.07 × 100 is 7.000000000000001.
  return Number((value * scale).toPrecision(12));
}

/** Returns the largest unit in which a duration is a whole number. */
function durationUnitOf(value: number, { seconds: stored }: Duration) {
  const whole = durationUnits.filter(([, seconds]) => seconds >= stored && (value * stored) % seconds === 0);
  return whole.at(-1) ?? durationUnits.find(([, seconds]) => seconds === stored)!;
}

/** Returns the texts of a setting's fields: one for each amount, otherwise one. A duration's text contains its unit. */
export function fieldTexts(control: Control, value: unknown): readonly string[] {
  switch (control.kind) {
    case "amounts":
      return control.amounts.map((amount) => amountField(amount, partOf(value, amount.path)));
    case "names":
      return [namesOf(value).join(", ")];
    case "rules":
      return (value as Parameters<typeof ruleLines>[0][]).map(ruleLines);
    default:
      return [value === null ? "" : textOf(value)];
  }
}

function amountField({ unit }: Amount, value: unknown): string {
  const isNumber = typeof value === "number";
  if (!("seconds" in unit)) return isNumber ? String(shownNumber(value, unit)) : "";
  const [name, seconds] = durationUnitOf(isNumber ? value : 0, unit);
  return isNumber ? `${(value * unit.seconds) / seconds} ${name}` : ` ${unit.seconds === 1 ? "hour" : "minute"}`;
}

/** Returns the value of a setting from the texts of its fields. */
export function valueOf(control: Control, texts: readonly string[]): unknown {
  const [text = ""] = texts;
  switch (control.kind) {
    case "amounts":
      return amountsOf(control, texts);
    case "names":
      return tagsIn(text);
    case "rules":
      return texts.map(ruleIn);
    case "text":
      return text.trim() === "" && control.none !== undefined ? null : text.trim();
    default:
      return text;
  }
}

function amountsOf({ amounts }: AmountsControl, texts: readonly string[]): unknown {
  const numbers = amounts.map((amount, at) => numberOf(amount, texts[at] ?? ""));
  if (amounts[0]?.path.length === 0) return numbers[0];
  const value: Record<string, unknown> = {};
  for (const [at, { path }] of amounts.entries()) {
    const number = numbers[at];
    if (number === null) continue;
    const holder = path.slice(0, -1).reduce<Record<string, unknown>>((object, key) => {
      object[key] ??= {};
      return object[key] as Record<string, unknown>;
    }, value);
    holder[path.at(-1) ?? ""] = number;
  }
  return value;
}

/** Returns the stored number of a field; null for an empty field that may be empty. */
function numberOf({ unit, none }: Amount, text: string): number | string | null {
  const [amount, name] = "seconds" in unit ? durationIn(text) : [text.trim(), ""];
  if (amount === "") return none === undefined ? "" : null;
  const number = Number(amount.replaceAll(",", ""));
  if (Number.isNaN(number)) return amount;
  if (!("seconds" in unit)) return Number((number / (unit.scale ?? 1)).toPrecision(12));
  const seconds = durationUnits.find(([each]) => each === name)?.[1] ?? unit.seconds;
  return (number * seconds) / unit.seconds;
}

/** Returns the number and the unit in the text of a duration's field. */
export function durationIn(text: string): readonly [amount: string, unit: string] {
  const at = text.lastIndexOf(" ");
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function partOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((whole, key) => (whole as Readonly<Record<string, unknown>> | undefined)?.[key], value);
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
