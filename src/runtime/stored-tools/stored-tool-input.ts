// Checks the options of a stored tool, and adds the defaults.
// Invariant: a tool that is stored can be offered to a model; if a tool is refused, nothing is written.
import { codePointLength } from "../../base/code-points.ts";
import { DefinitionError } from "../../base/errors.ts";
import type { StoredTool, StoredToolChange } from "../../store/port/stored-tool-store.ts";
import type { StoredToolOptions } from "./contract.ts";
import { toToolParameters } from "../../tool/parameters.ts";
import type { JsonParameterSchema } from "../../tool/tool.ts";
import { inputChecks } from "../operations/input-checks.ts";

/** Maximum lengths in code points; that of `parameters` applies to the schema as JSON. */
const maxLength = { description: 10_000, source: 200_000, parameters: 100_000 } as const;
const maxResultLimit = 10_000_000;

const { id: checkedId, invalid, json, range: checkListOptions, tags: checkedTags } = inputChecks("A stored tool");

export { checkedId, checkListOptions, invalid };

export const storedToolDefaults = {
  kind: "client",
  source: null,
  resultLimit: null,
  requiresApproval: false,
  tags: [],
  metadata: {},
} as const satisfies StoredToolChange;

type Given = Required<StoredToolOptions>;

/** Converts each option to the form in which it is stored. */
const storedForms: { readonly [Key in keyof Given]: (value: Given[Key], name: string) => StoredToolChange } = {
  name: (name) => ({ name: checkedName(name) }),
  description: (description, name) => ({ description: checkedDescription(name, description) }),
  parameters: (parameters, name) => ({ parameters: checkedParameters(name, parameters) }),
  source: (source) =>
    source === null ? { source, kind: "client" } : { source: checkedSource(source), kind: "python" },
  resultLimit: (resultLimit) => ({ resultLimit: checkedLimit(resultLimit) }),
  requiresApproval: (requiresApproval) => ({ requiresApproval }),
  tags: (tags) => ({ tags: checkedTags(tags) }),
  metadata: (metadata) => ({ metadata: json("metadata", metadata) }),
};

/** Returns the change in its stored form. Throws DefinitionError and RequestError, with the tool's name in the message. */
export function checkedChange(name: string, given: StoredToolOptions): StoredToolChange {
  const changes = Object.entries(storedForms).flatMap(([key, form]) => {
    const value = given[key as keyof Given];
    return value === undefined ? [] : [(form as (value: unknown, name: string) => StoredToolChange)(value, name)];
  });
  return Object.fromEntries(changes.flatMap((change) => Object.entries(change))) as StoredToolChange;
}

/** Returns the schema in the form that is sent to a model. */
function checkedParameters(name: string, parameters: Readonly<Record<string, unknown>>): StoredTool["parameters"] {
  checkLength("parameters", JSON.stringify(parameters));
  return toToolParameters(name, parameters as JsonParameterSchema).jsonSchema;
}

function checkedName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  throw new DefinitionError(
    "tool_definition_invalid",
    'A stored tool: expected a `name` of 1 to 64 letters, digits, "_" or "-".',
    { field: "name" },
  );
}

function checkedDescription(name: string, description: string): string {
  if (description.trim() === "") {
    const message = `Tool "${name}": expected a \`description\`, got a blank one. Say what the tool does and when to use it.`;
    throw new DefinitionError("tool_definition_invalid", message, { field: "description" });
  }
  checkLength("description", description);
  return description;
}

function checkedSource(source: string): string {
  checkLength("source", source);
  return source;
}

function checkLength(field: keyof typeof maxLength, text: string): void {
  const [length, limit] = [codePointLength(text), maxLength[field]];
  if (length > limit) throw invalid(field, `at most ${limit} characters`, `${length}`);
}

function checkedLimit(limit: number | null): number | null {
  if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= maxResultLimit)) return limit;
  throw invalid("resultLimit", `null or a whole number from 1 to ${maxResultLimit}`, `${limit}`);
}
