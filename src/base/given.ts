// Leaves out undefined options, so that functions use their defaults.
// Invariant: pure; no other value is changed.

/** Returns the options without those that are undefined. */
export function given<Options extends object>(options: Options): Given<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<Options>;
}

/** The type of the options: each property whose value could be undefined is optional instead. */
type Given<Options> = {
  [Name in keyof Options as undefined extends Options[Name] ? Name : never]?: Exclude<Options[Name], undefined>;
} & { [Name in keyof Options as undefined extends Options[Name] ? never : Name]: Options[Name] };
