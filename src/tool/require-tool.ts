// Checks that a value is a tool.
// Invariant: an object passes exactly if the loop can describe, validate and run it.
import { type ArgumentCheck, isPlainObject, argumentError } from "../base/arguments/argument-checks.ts";
import type { Tool } from "./tool.ts";

const remedy = "Create it with defineTool({ name, description, parameters, run }).";

/** A `Tool`, as `defineTool` returns it. */
export const toolCheck: ArgumentCheck = (value, place) => {
  if (isTool(value)) return;
  const advice = typeof value === "function" ? `If it returns a tool, call it. ${remedy}` : remedy;
  throw argumentError(place.of, { ...place, expected: "a tool", got: value, remedy: advice });
};

/** Returns whether the value is a `Tool`, as `defineTool` of any copy of this package returns it. */
export function isTool(value: unknown): value is Tool {
  if (!isObject(value)) return false;
  const { name, description, parameters, effects, wholeResult, approval, run } = value;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof run === "function" &&
    isParameters(parameters) &&
    (effects === "memory" || effects === "external") &&
    typeof wholeResult === "boolean" &&
    typeof approval === "boolean"
  );
}

function isParameters(value: unknown): boolean {
  return isObject(value) && isPlainObject(value["jsonSchema"]) && typeof value["parse"] === "function";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
