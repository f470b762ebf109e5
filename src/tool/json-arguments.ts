// The type of the arguments that a JSON Schema describes, for tools whose schema is written as a literal.
// Invariant: types only; a part that is not understood has the type `unknown`, never a wrong one.

/** The value that a JSON Schema describes. */
export type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: "string" }
      ? string
      : Schema extends { readonly type: "number" | "integer" }
        ? number
        : Schema extends { readonly type: "boolean" }
          ? boolean
          : Schema extends { readonly type: "array" }
            ? readonly (Schema extends { readonly items: infer Items } ? JsonSchemaValue<Items> : unknown)[]
            : Schema extends { readonly type: "object" }
              ? JsonSchemaObject<Schema>
              : unknown;

/** The object that a JSON Schema of type `object` describes: a property that is not in `required` may be missing. */
export type JsonSchemaObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? {
      readonly [Key in keyof Properties as Schema extends { readonly required: readonly (infer Required)[] }
        ? Extract<Key, Required>
        : never]: JsonSchemaValue<Properties[Key]>;
    } & {
      readonly [Key in keyof Properties as Schema extends { readonly required: readonly (infer Required)[] }
        ? Exclude<Key, Required>
        : Key]?: JsonSchemaValue<Properties[Key]>;
    }
  : Readonly<Record<string, unknown>>;
