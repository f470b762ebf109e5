// Settings of the lookup for a turn: working memory and the query planner. Both are off by default.
import { oneOf, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

export const retrievalSettings = {
  /**
   * Whether each input searches recent tool results and user messages, which the process keeps up to a size limit.
   * `refilled`: a restart reloads those of the conversation from the store.
   */
  workingMemory: setting({
    ...oneOf("off", "process", "refilled"),
    default: "off",
    flag: {
      name: "working-memory",
      value: "WHEN",
      help: "process or refilled: search recent items (default {default})",
      group: "lookup",
    },
  }),
  /** Maximum size per agent, in millions of bytes. */
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
  /** `on`: each input also searches archival memory. */
  queryPlanner: setting({
    ...oneOf("off", "on"),
    default: "off",
    flag: {
      name: "query-planner",
      value: "WHEN",
      help: "on: also search the archive for each message (default {default})",
      group: "lookup",
    },
  }),
  /** Maximum tokens of retrieved items in a request. */
  plannerTokens: setting({
    ...wholeNumber(1),
    default: 4000,
    flag: {
      name: "planner-tokens",
      value: "N",
      help: "tokens of retrieved items per message (default {default})",
      group: "lookup",
    },
  }),
};
