// Exit codes for scripts. Documented in docs/cli.md.

export const exitCodes = {
  done: 0,
  failed: 1,
  /** Bad flags, environment or configuration, or a named file that cannot be read. */
  usage: 2,
  /** A limit of steps, tokens or money ended the turn, or refused it. */
  limit: 3,
  /** Another process uses the conversation. */
  busy: 4,
  awaitingApproval: 5,
  interrupted: 130,
} as const;
