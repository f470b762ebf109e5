// Removes quotes around an argument, such as a path with spaces or one dragged into the terminal.

/** The text without a pair of quotes around the whole, if there is one. */
export function unquoted(argument: string): string {
  return /^(["'])(.+)\1$/u.exec(argument)?.[2] ?? argument;
}
