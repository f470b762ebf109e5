// Exit codes for scripts. Documented in docs/cli.md.

export const exitCodes = {
  done: 0,
  failed: 1,
  /** Bad flags, environment or configuration. */
  usage: 2,
  /** A step or token limit ended the turn. */
  limit: 3,
  /** Another process uses the conversation. */
  busy: 4,
  awaitingApproval: 5,
  interrupted: 130,
} as const;
