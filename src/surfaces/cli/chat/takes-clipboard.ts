// Whether the terminal accepts clipboard writes (OSC 52), judged by its environment variables.
// Invariant: false only for terminals that are known to ignore OSC 52; others cannot be determined.

/** `variables`: the environment variables. */
export function takesClipboard(variables: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TERM_PROGRAM = "", TMUX = "" } = variables;
  if (TERM_PROGRAM === "Apple_Terminal" || TERM === "linux" || TERM === "dumb") return false;
  // GNU screen swallows the sequence; tmux also sets TERM to screen, but passes it on.
  return !TERM.startsWith("screen") || TMUX !== "";
}
