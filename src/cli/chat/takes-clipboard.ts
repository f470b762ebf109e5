// Whether a terminal may take text for the clipboard from a program (OSC 52), by what its environment says of it.
// Invariant: false only for those that are known to ignore it; of the others nobody can know.

/** `variables`: those of the environment. */
export function takesClipboard(variables: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TERM_PROGRAM = "", TMUX = "" } = variables;
  if (TERM_PROGRAM === "Apple_Terminal" || TERM === "linux" || TERM === "dumb") return false;
  // GNU screen keeps the sequence to itself; tmux says screen as well, and hands it on.
  return !TERM.startsWith("screen") || TMUX !== "";
}
