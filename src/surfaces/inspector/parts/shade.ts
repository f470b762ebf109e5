// Gives parts of charts the colours that the style sheet defines by name.

/** Returns the style that gives an element of the class `shade` the colour of the custom property `--NAME`. */
export function shade(name: string): Record<string, string> {
  return { "--shade": `var(--${name})` };
}
