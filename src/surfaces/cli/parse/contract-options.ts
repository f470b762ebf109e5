// Converts flags, or pairs of KEY and VALUE, to the options of an operation, by its contract.
// Invariant: a value has the type of its field; the library checks everything else.
import type { ChoiceForm, Fields, Form, OptionsOf } from "../../../base/arguments/forms.ts";
import { ConfigError } from "../../../base/errors.ts";
import { acceptedTimes, isAcceptedTime } from "../../../base/calendar.ts";
import type { OptionsArgument } from "../../../runtime/contract.ts";
import { wrapWords } from "../format/wrap-words.ts";
import { choiceOf } from "./flag-values.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

type Options = Readonly<Record<string, unknown>>;

/** Maximum columns of a line of help. */
const keysWidth = 116;

/** Returns the sentences of help about KEY and VALUE: `KEY is one of name, kind (org|user|other, required). …` */
export function keysText({ fields, required }: OptionsArgument): string {
  const keys = Object.entries(fields).map(([name, form]) => {
    const facts = [
      ...(isChoice(form) ? [form.values.join("|")] : []),
      ...(required.includes(name) ? ["required"] : []),
    ];
    return facts.length === 0 ? name : `${name} (${facts.join(", ")})`;
  });
  return wrapWords(
    `KEY is one of ${keys.join(", ")}. A VALUE is text, or JSON for lists and objects; the word none removes a value.`,
    keysWidth,
  );
}

/** Returns the options that flags set. A flag is named after its field, such as `--on-busy` for `onBusy`. */
export function flagOptions({ texts }: CommandLine, { fields }: Pick<OptionsArgument, "fields">): Options {
  const found: Record<string, unknown> = {};
  for (const [name, form] of Object.entries(fields)) {
    const flag = name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
    const text = (texts as Readonly<Record<string, string | undefined>>)[flag];
    if (text !== undefined) found[name] = valueOf(text, `--${flag}`, form);
  }
  return found;
}

/**
 * Returns the options that pairs of KEY and VALUE set. Throws ConfigError for an unknown key or an invalid value, and the same
 * errors as `wordPairs`. The library refuses missing options that are required.
 */
export function pairOptions<Of extends Fields, Required extends keyof Of>(
  words: readonly string[],
  { fields }: OptionsArgument<Of, Required>,
): OptionsOf<Of, Required> {
  const pairs = wordPairs(words).map(([key, word]) => {
    const form = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (form === undefined)
      throw new ConfigError(`Expected one of ${Object.keys(fields).join(", ")} as KEY, got "${key}".`);
    return [key, valueOf(word, key, form)] as const;
  });
  return Object.fromEntries(pairs) as OptionsOf<Of, Required>;
}

/**
 * Returns the words as pairs. Throws ConfigError for a key without a value, with `advice` at the end of the message,
 * and for a key that is given twice.
 */
export function wordPairs(words: readonly string[], advice = ""): readonly (readonly [key: string, value: string])[] {
  if (words.length % 2 !== 0) {
    throw new ConfigError(
      `Expected pairs of KEY and VALUE, got ${words.length} words: ${words.at(-1)} has no value. Quote a text with spaces${advice}.`,
    );
  }
  const keys = words.filter((_, at) => at % 2 === 0);
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) throw new ConfigError(`Expected each setting once, got ${twice} twice.`);
  return keys.map((key, at) => [key, words[2 * at + 1] ?? ""]);
}

/** Returns the JSON object of a flag; undefined if it is not given. Throws ConfigError for any other value. */
export function objectFlag({ texts }: CommandLine, name: TextFlagName): Options | undefined {
  const text = texts[name];
  if (text === undefined) return undefined;
  const expected = `a JSON object such as '{"name":"value"}'`;
  const value = jsonOf(text, `--${name}`, expected);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Options;
  throw new ConfigError(`--${name}: expected ${expected}, got ${text.slice(0, 80)}.`);
}

/** Parses a time with a time zone. Throws ConfigError with `name`, the flag or key, for any other text. */
export function momentOf(text: string, name: string): Date {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/u.test(text) ? new Date(text) : null;
  if (at !== null && isAcceptedTime(at)) return at;
  throw new ConfigError(
    `${name}: expected ${acceptedTimes} with its zone, such as 2026-12-24T18:00Z or 2026-12-24T18:00+01:00, got "${text}".`,
  );
}

function valueOf(text: string, name: string, form: Form<unknown>): unknown {
  if (form.isNullable && text === "none") return null;
  if (isChoice(form)) return choiceOf(text, name, form.values);
  switch (form.kind) {
    case "flag":
      return choiceOf(text, name, ["true", "false"]) === "true";
    case "moment":
      return momentOf(text, name);
    case "text":
    case "id":
      return text;
    case "texts":
      return text.startsWith("[") ? jsonOf(text, name, "a list, such as '[\"one\"]'") : [text];
    case "count":
    case "number":
      return jsonOf(text, name, "a number");
    default:
      return jsonOf(text, name, 'JSON, such as \'{"key":"value"}\'');
  }
}

function jsonOf(text: string, name: string, expected: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ConfigError(`${name}: expected ${expected}, got ${text.slice(0, 80)}.`);
  }
}

function isChoice(form: Form<unknown>): form is ChoiceForm<string> {
  return form.kind === "choice";
}
