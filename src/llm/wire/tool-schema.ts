// The parameters of a tool as every provider accepts them.
import { storableValue } from "./storable-value.ts";

/** A schema of an object, with the `properties` that OpenAI demands and without the `$schema` that Gemini refuses. */
export interface WireSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** The schema to send for a tool's parameters. */
export function wireSchema(parameters: Readonly<Record<string, unknown>>): WireSchema {
  const { $schema: _dialect, ...rest } = parameters;
  return { properties: {}, ...storableValue(rest), type: "object" };
}
