// Creates the parameters that the search tools share, and validates their values.
// Invariant: absent, null, "" and "none" are the same for every optional parameter; any other invalid value is refused.
import * as z from "zod";
import { ToolError } from "../base/errors.ts";
import type { SearchOrder } from "./tool.ts";

/** Returns the parameter `page`, which counts from 0. */
export function pageParameter() {
  return wholeNumber("page", { min: 0, description: "Page of results, from 0." });
}

/** Returns the parameter `hit`: the number of a result to read in full. */
export function hitParameter() {
  return wholeNumber("hit", { min: 1, description: "Number of a result to read in full." });
}

/** Returns the parameter `part`, which counts from 0. */
export function partParameter() {
  return wholeNumber("part", { min: 0, description: "With hit: which part of its text, from 0." });
}

/** Returns the parameter `limit`: results per page. */
export function limitParameter() {
  return wholeNumber("limit", { min: 1, max: 20, description: "Results per page, 1 to 20 (default 5)." });
}

/** Returns the parameter `neighbours` of a search over messages. */
export function neighboursParameter() {
  return wholeNumber("neighbours", {
    min: 0,
    max: 5,
    description: "Messages to show before and after each result, 0 to 5.",
  });
}

/** Returns the parameter for one end of a span of time. */
export function momentParameter(end: "First" | "Last") {
  const name = `${end} day or minute`;
  return optionalText(name, { description: `${name}: YYYY-MM-DD or YYYY-MM-DD HH:MM.` });
}

/** Returns the parameter `speaker` of a search over messages. Its value is a role or a name. */
export function speakerParameter() {
  return optionalText("speaker", { description: 'Only messages of "user", "you" or a name.' }).transform((speaker) =>
    /^you$/iu.test(speaker ?? "") ? "assistant" : /^user$/iu.test(speaker ?? "") ? "user" : speaker,
  );
}

const orders: readonly SearchOrder[] = ["best", "newest", "oldest"];

/** Returns the parameter `order` of a search over messages. */
export function orderParameter(description: string, offered: readonly SearchOrder[] = orders) {
  return optionalText("order", { description, enum: offered }).transform((order) =>
    offered.find((one) => one === order),
  );
}

function optionalText(name: string, meta: { readonly description: string; readonly enum?: readonly string[] }) {
  const parse = (value: unknown): string | undefined => {
    if (isAbsent(value)) return undefined;
    const isOffered = typeof value === "string" && (meta.enum?.includes(value) ?? true);
    if (isOffered) return value;
    const expected = meta.enum === undefined ? "a text" : `one of ${meta.enum.join(", ")}`;
    throw new ToolError(`'${name}' argument must be ${expected}.`);
  };
  return z
    .unknown()
    .transform(parse)
    .optional()
    .meta({ type: "string", ...meta });
}

interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly description: string;
}

function wholeNumber(name: string, { min, max = Number.MAX_SAFE_INTEGER, description }: NumberRange) {
  const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  const parse = (value: unknown): number | undefined => {
    if (isAbsent(value)) return undefined;
    const number = typeof value === "string" ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new ToolError(`'${name}' argument must be an integer${range}.`);
  };
  return z.unknown().transform(parse).optional().meta({ type: "integer", description });
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && /^(?:none)?$/iu.test(value.trim()));
}
