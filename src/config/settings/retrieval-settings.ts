// The settings of what is looked up for a turn: working memory and the query planner. Off unless they are switched on.
import { oneOf, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

export const retrievalSettings = {
  /**
   * Whether tool results and the user's messages are kept in a bounded memory of the process, searched with each input.
   * `refilled`: what the store has of the conversation is in it again after a restart.
   */
  workingMemory: setting({
    ...oneOf("off", "process", "refilled"),
    default: "off",
    flag: {
      name: "working-memory",
      value: "WHEN",
      help: "process or refilled: look up what was seen lately (default {default})",
      group: "lookup",
    },
  }),
  /** Millions of bytes, for each agent. */
  workingMemoryMegabytes: setting({
    form: (zod) => zod.number().min(1).max(10_000),
    expected: "a number from 1 to 10000, in megabytes",
    default: 10,
  }),
  /** Minutes between two clean-ups. */
  workingMemoryMinutes: setting({
    form: positive(1440),
    expected: "a number of minutes over 0 and at most 1440",
    default: 5,
  }),
  /** `on`: archival memory is searched with each input, too. */
  queryPlanner: setting({
    ...oneOf("off", "on"),
    default: "off",
    flag: {
      name: "query-planner",
      value: "WHEN",
      help: "on: look up in the archive for each message, too (default {default})",
      group: "lookup",
    },
  }),
  /** Tokens that what was looked up may have in a request. */
  plannerTokens: setting({
    ...wholeNumber(1),
    default: 4000,
    flag: {
      name: "planner-tokens",
      value: "N",
      help: "tokens of what is looked up for a message (default {default})",
      group: "lookup",
    },
  }),
};
