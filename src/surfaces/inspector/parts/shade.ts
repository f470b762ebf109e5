// Colours of parts of charts, by the names that the style sheet gives them.

/** Returns the style that gives an element of the class `shade` the colour of the custom property `--NAME`. */
export function shade(name: string): Record<string, string> {
  return { "--shade": `var(--${name})` };
}
