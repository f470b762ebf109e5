// Builds objects whose fields all have the same value, such as fields of a schema with the same form.

/** Returns an object with these names, each with the same value. */
export function each<const Name extends string, Value>(value: Value, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, value])) as { readonly [Key in Name]: Value };
}
