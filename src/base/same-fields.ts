// Builds objects of fields that have one value, such as the fields of a schema that have one form.

/** Returns an object with these names, each with the same value. */
export function each<const Name extends string, Value>(value: Value, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, value])) as { readonly [Key in Name]: Value };
}
