// Settings of what one user may use of a server at a time, and may store.
import { orNull, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

export const userSettings = {
  /** Maximum requests of a user that a server answers at a time, without open streams. */
  maxUserRequests: setting({ ...wholeNumber(1), default: 32 }),
  /** Maximum open streams of a user on a server. */
  maxUserStreams: setting({ ...wholeNumber(1), default: 64 }),
  /** Maximum megabytes of request bodies of a user that a server holds at a time. */
  maxUserMegabytes: setting({
    form: positive(100_000),
    expected: "a number over 0 and at most 100000, in megabytes",
    default: 32,
  }),
  /** Maximum agents that a user may use; null: no limit. */
  maxUserAgents: setting({ ...orNull(wholeNumber(1)), default: null }),
  /** Maximum files in all sources of a user; null: no limit. */
  maxUserFiles: setting({ ...orNull(wholeNumber(1)), default: null }),
};

/** The limits of a server whose configuration has none, because all users share its process and its database. */
export const servedLimits = { maxConcurrentTurns: 50, maxUserAgents: 10_000, maxUserFiles: 10_000 } as const;
