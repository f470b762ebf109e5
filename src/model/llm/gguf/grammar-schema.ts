// Converts a tool's parameters to a grammar of node-llama-cpp, which constrains the arguments that a model writes.
// Invariant: pure; complete output of the grammar is valid by the schema, except for patterns, number bounds, formats and long
// lengths, which a grammar cannot express. The tool checks those itself.

/** The JSON Schema of node-llama-cpp's grammars: every property is written, in order, whether or not it is required. */
export type GrammarSchema =
  | { readonly type: "string"; readonly description?: string; readonly minLength?: number; readonly maxLength?: number }
  | { readonly type: "number" | "integer" | "boolean" | "null"; readonly description?: string }
  | { readonly enum: readonly (string | number | boolean | null)[]; readonly description?: string }
  | { readonly oneOf: readonly GrammarSchema[]; readonly description?: string }
  | {
      readonly type: "array";
      readonly items?: GrammarSchema;
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly description?: string;
    }
  | {
      readonly type: "object";
      readonly properties: Readonly<Record<string, GrammarSchema>>;
      readonly additionalProperties?: boolean | GrammarSchema;
      readonly description?: string;
    };

type Json = Readonly<Record<string, unknown>>;

/** Maximum length of a string or array in a grammar. Larger lengths are omitted: the grammar would take seconds to build. */
const maxStringLength = 100;
/** Maximum depth of a converted schema; it ends the recursion of a schema that refers to itself. */
const maxDepth = 8;

const anything: GrammarSchema = {
  oneOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: {}, additionalProperties: true },
  ],
};

/**
 * Converts a tool's parameters (draft 7 or later). Optional properties may be written as null, which `withoutNulls`
 * removes.
 */
export function grammarSchema(parameters: Json): GrammarSchema {
  return convert(parameters, { root: parameters, depth: 0 });
}

interface Place {
  readonly root: Json;
  readonly depth: number;
}

function convert(schema: unknown, place: Place): GrammarSchema {
  if (!isJson(schema) || place.depth > maxDepth) return anything;
  const description = typeof schema["description"] === "string" ? { description: schema["description"] } : {};
  return { ...convertBare(schema, { ...place, depth: place.depth + 1 }), ...description };
}

function convertBare(schema: Json, place: Place): GrammarSchema {
  if (typeof schema["$ref"] === "string") return convert(resolve(schema["$ref"], place.root), place);
  if ("const" in schema) return literals([schema["const"]]);
  if (Array.isArray(schema["enum"])) return literals(schema["enum"]);
  const variants = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(variants)) return oneOf(variants.map((variant) => convert(variant, place)));
  const all = schema["allOf"];
  if (Array.isArray(all) && all.length === 1) return convert(all[0], place);
  if (Array.isArray(schema["type"])) {
    return oneOf(schema["type"].map((one) => convertTyped({ ...schema, type: one }, place)));
  }
  return convertTyped(schema, place);
}

function convertTyped(schema: Json, place: Place): GrammarSchema {
  const { type } = schema;
  switch (type) {
    case "string":
      return { type, ...lengths(schema, ["minLength", "maxLength"]) };
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { type };
    case "array":
      return { type, items: convert(schema["items"], place), ...lengths(schema, ["minItems", "maxItems"]) };
    default:
      return type === "object" || isJson(schema["properties"]) ? convertObject(schema, place) : anything;
  }
}

function convertObject(schema: Json, place: Place): GrammarSchema {
  const properties = isJson(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = requiredOf(schema);
  const extra = schema["additionalProperties"];
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(([name, property]) => {
        const converted = convert(property, place);
        return [name, required.has(name) ? converted : optional(converted)];
      }),
    ),
    // Additional properties are allowed only if they have a schema, or if the object has no other properties.
    ...(isJson(extra) ? { additionalProperties: convert(extra, place) } : {}),
    ...(extra !== false && !isJson(extra) && properties.length === 0 ? { additionalProperties: true } : {}),
  };
}

function optional(schema: GrammarSchema): GrammarSchema {
  const { description, ...bare } = schema;
  return { oneOf: [bare, { type: "null" }], ...(description === undefined ? {} : { description }) };
}

function oneOf(variants: readonly GrammarSchema[]): GrammarSchema {
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? only : { oneOf: variants };
}

function literals(values: readonly unknown[]): GrammarSchema {
  const kept = values.filter((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
  return kept.length === values.length && kept.length > 0
    ? { enum: kept as readonly (string | number | boolean | null)[] }
    : anything;
}

function lengths<Key extends string>(schema: Json, keys: readonly Key[]): Partial<Record<Key, number>> {
  const kept = keys.filter((key) => Number.isInteger(schema[key]) && (schema[key] as number) <= maxStringLength);
  return Object.fromEntries(kept.map((key) => [key, schema[key]])) as Partial<Record<Key, number>>;
}

function resolve(reference: string, root: Json): unknown {
  if (!reference.startsWith("#")) return undefined;
  const keys = reference.slice(1).split("/").slice(1);
  return keys.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), root);
}

/** Returns the arguments without nulls that mean "absent": those of properties that are not required and not nullable. */
export function withoutNulls(value: unknown, schema: unknown, root: Json = isJson(schema) ? schema : {}): unknown {
  const found = schemaOf(value, schema, root);
  if (!isJson(found)) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, found["items"], root));
  const properties = found["properties"];
  if (!isJson(value) || !isJson(properties)) return value;
  const required = requiredOf(found);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null || required.has(name) || allowsNull(properties[name]),
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutNulls(item, properties[name], root)]));
}

/** Returns the schema of a value: resolves a reference, and selects the first variant that has all properties of the value. */
function schemaOf(value: unknown, schema: unknown, root: Json): unknown {
  if (!isJson(schema)) return schema;
  if (typeof schema["$ref"] === "string") return resolve(schema["$ref"], root);
  const variants = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(variants) || !isJson(value)) return schema;
  const names = Object.keys(value);
  return variants
    .map((variant) => schemaOf(value, variant, root))
    .find((variant) => {
      const properties = isJson(variant) ? variant["properties"] : undefined;
      return isJson(properties) && names.every((name) => Object.hasOwn(properties, name));
    });
}

function allowsNull(schema: unknown): boolean {
  if (!isJson(schema)) return true;
  const { type } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if (schema["const"] === null || (Array.isArray(schema["enum"]) && schema["enum"].includes(null))) return true;
  const variants = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(variants) && variants.some((variant) => allowsNull(variant));
}

function requiredOf(schema: Json): ReadonlySet<unknown> {
  return new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
