// Settings of what one user may use of a server at a time.
import { positive, wholeNumber } from "./forms.ts";
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
};

/** `maxConcurrentTurns` of a server whose configuration has none, because the turns of all users run in one process. */
export const servedTurns = 50;
