// The argument of a command as it is meant: what was dragged into the terminal, or has spaces, may come in quotes.

/** Without the one pair of quotes around all of it, if there is one. */
export function unquoted(argument: string): string {
  return /^(["'])(.+)\1$/u.exec(argument)?.[2] ?? argument;
}
