// Holds the questions of MCP servers that wait for an answer, and checks the answers.
// Invariant: a question waits only while there is a listener; otherwise it is declined at once, and the server continues. An
// answer that is sent has a valid value for each required field, and no other fields than the question's.
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { describeKind } from "../../base/arguments/argument-checks.ts";
import { RequestError } from "../../base/errors.ts";
import type { McpAnswer, McpQuestion, McpQuestionField } from "../mcp-dialogue.ts";
import { bounds } from "./bounds.ts";

export interface Questions {
  /** Resolves to the answer, to `cancel` when the signal is aborted, or to `decline` if there is no listener. */
  ask(server: string, params: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
  waiting(): readonly McpQuestion[];
  /** Sets the listener, which receives each new question; null removes it and declines all waiting questions. */
  watch(listener: ((question: McpQuestion) => void) | null): void;
  /** Answers a question. Throws RequestError `input_invalid` for an unknown id or a bad answer; the question stays open. */
  answer(id: string, answer: McpAnswer): void;
}

interface Open {
  readonly question: McpQuestion;
  settle(result: ElicitResult): void;
}

export function createQuestions(): Questions {
  const open = new Map<string, Open>();
  let listener: ((question: McpQuestion) => void) | null = null;
  let asked = 0;

  function wait(question: McpQuestion, signal: AbortSignal): Promise<ElicitResult> {
    const timeout = AbortSignal.timeout(bounds.questionMs);
    const ended = AbortSignal.any([signal, timeout]);
    return new Promise((resolve) => {
      const settle = (result: ElicitResult): void => {
        open.delete(question.id);
        ended.removeEventListener("abort", cancel);
        resolve(result);
      };
      const cancel = (): void => settle({ action: "cancel" });
      ended.addEventListener("abort", cancel);
      open.set(question.id, { question, settle });
      listener?.(question);
    });
  }

  return {
    async ask(server, { message, requestedSchema }, signal) {
      if (listener === null || signal.aborted) return { action: "decline" };
      asked += 1;
      const text = message.slice(0, bounds.description).toWellFormed();
      return wait({ id: `question-${asked}`, server, message: text, fields: fieldsOf(requestedSchema) }, signal);
    },
    waiting: () => [...open.values()].map(({ question }) => question),
    watch(next) {
      listener = next;
      if (next === null) for (const { settle } of open.values()) settle({ action: "decline" });
    },
    answer(id, answer) {
      const found = open.get(id);
      if (found === undefined) throw new RequestError("input_invalid", `No question ${id} waits for an answer.`);
      if (answer.action === "decline") found.settle({ action: "decline" });
      else found.settle({ action: "accept", content: answerOf(found.question.fields, answer.content) });
    },
  };
}

type AnswerValue = string | number | boolean | string[];
type Schema = ElicitRequestFormParams["requestedSchema"]["properties"][string];

function fieldsOf({ properties, required = [] }: ElicitRequestFormParams["requestedSchema"]) {
  return Object.entries(properties).map(([name, schema]): McpQuestionField => {
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

function kindOf({ type }: Schema, options: readonly string[]): McpQuestionField["kind"] {
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

/** Returns the validated answer. Numbers, booleans and lists may be given as text. Throws RequestError `input_invalid`. */
function answerOf(
  fields: readonly McpQuestionField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, AnswerValue> {
  const unknown = Object.keys(given).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined)
    throw invalid(
      `expected only the fields ${fields.map(({ name }) => name).join(", ") || "(none)"}, got an unknown field`,
    );
  const answer: [string, AnswerValue][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value !== undefined && value !== "") answer.push([field.name, valueOf(field, value)]);
    else if (field.preset !== null) answer.push([field.name, field.preset as AnswerValue]);
    else if (field.isRequired) throw invalid(`expected a value for ${field.name}, got none`);
  }
  return Object.fromEntries(answer);
}

function valueOf(field: McpQuestionField, value: unknown): AnswerValue {
  const read = readers[field.kind](value, field.options);
  if (read !== null) return read;
  const options = field.options.length === 0 ? "" : ` ${field.options.join(", ")}`;
  const got = typeof value === "string" ? "an unsuitable text" : describeKind(value);
  throw invalid(`expected ${expected[field.kind]}${options} for ${field.name}, got ${got}`);
}

type Reader = (value: unknown, options: readonly string[]) => AnswerValue | null;

const readNumber: Reader = (value) => {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

const readers: Readonly<Record<McpQuestionField["kind"], Reader>> = {
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

const expected: Readonly<Record<McpQuestionField["kind"], string>> = {
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
