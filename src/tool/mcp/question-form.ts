// The fields that a question of an MCP server asks for, and the check of an answer.
// Invariant: an answer that is passed on has a valid value for each required field, and nothing that was not asked for.
import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { RequestError } from "../../base/errors.ts";

export interface QuestionField {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** `choice`: one of the options, `choices`: some of them. */
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly options: readonly string[];
  readonly isRequired: boolean;
  /** What an answer without a value for the field has; null: nothing. */
  readonly preset: AnswerValue | null;
}

export type AnswerValue = string | number | boolean | string[];
type Schema = ElicitRequestFormParams["requestedSchema"]["properties"][string];

export function fieldsOf({ properties, required = [] }: ElicitRequestFormParams["requestedSchema"]) {
  return Object.entries(properties).map(([name, schema]): QuestionField => {
    const options = optionsOf(schema);
    return {
      name,
      title: schema.title ?? null,
      description: schema.description ?? null,
      kind: kindOf(schema, options),
      options,
      isRequired: required.includes(name),
      preset: schema.default ?? null,
    };
  });
}

function kindOf({ type }: Schema, options: readonly string[]): QuestionField["kind"] {
  if (type === "array") return "choices";
  if (type === "string") return options.length > 0 ? "choice" : "text";
  return type;
}

function optionsOf(schema: Schema): readonly string[] {
  if ("enum" in schema) return schema.enum;
  if ("oneOf" in schema) return schema.oneOf.map((option) => option.const);
  if (!("items" in schema)) return [];
  return "enum" in schema.items ? schema.items.enum : schema.items.anyOf.map((option) => option.const);
}

/** Reads numbers, truth values and lists also from text. Throws RequestError `input_invalid`. */
export function answerOf(
  fields: readonly QuestionField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, AnswerValue> {
  const unknown = Object.keys(given).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) throw invalid(`expected the fields ${namesOf(fields)}, got another one`);
  const answer: [string, AnswerValue][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value !== undefined && value !== "") answer.push([field.name, valueOf(field, value)]);
    else if (field.preset !== null) answer.push([field.name, field.preset]);
    else if (field.isRequired) throw invalid(`expected a value for ${field.name}, got none`);
  }
  return Object.fromEntries(answer);
}

function namesOf(fields: readonly QuestionField[]): string {
  return fields.map(({ name }) => name).join(", ") || "(none)";
}

function valueOf(field: QuestionField, value: unknown): AnswerValue {
  const read = readers[field.kind](value, field.options);
  if (read !== null) return read;
  const options = field.options.length === 0 ? "" : `: ${field.options.join(", ")}`;
  throw invalid(`expected ${expected[field.kind]}${options} for ${field.name}, got something else`);
}

type Reader = (value: unknown, options: readonly string[]) => AnswerValue | null;

const readNumber: Reader = (value) => {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

const readers: Readonly<Record<QuestionField["kind"], Reader>> = {
  text: (value) => (typeof value === "string" ? value : null),
  number: readNumber,
  integer: (value, options) => {
    const number = readNumber(value, options);
    return Number.isInteger(number) ? number : null;
  },
  boolean: (value) => (typeof value === "boolean" ? value : (words[String(value).toLowerCase()] ?? null)),
  choice: (value, options) => options.find((option) => option === value) ?? null,
  choices: (value, options) => {
    const chosen: readonly unknown[] =
      typeof value === "string" ? value.split(/\s*,\s*/u) : Array.isArray(value) ? value : [];
    const valid = options.filter((option) => chosen.includes(option));
    return chosen.length > 0 && valid.length === new Set(chosen).size ? valid : null;
  },
};

const words: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

const expected: Readonly<Record<QuestionField["kind"], string>> = {
  text: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  choice: "one of the options",
  choices: "some of the options",
};

function invalid(reason: string): RequestError {
  return new RequestError("input_invalid", `The answer was not sent: ${reason}. The question still waits.`);
}
