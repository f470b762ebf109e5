// The settings of what memory does by itself: the scratchpad, the synopsis, retention, and how a search weighs.
import { oneOf, positive, wholeNumber } from "./forms.ts";
import { setting } from "./setting.ts";

export const memorySettings = {
  /** `step`: a model call after each step brings the scratchpad up to date, where the memory has one. */
  scratchpadUpdate: setting({
    ...oneOf("off", "step"),
    expected: "off or step",
    default: "off",
    isOfAgent: true,
    flag: {
      name: "scratchpad-update",
      value: "WHEN",
      help: "step: a model call after each step updates it (default {default})",
      group: "agent",
    },
  }),
  /** `on`: a synopsis of what the archive says of the user stands in the prompt. It costs a model call whenever it is made. */
  synopsis: setting({
    ...oneOf("off", "on"),
    default: "off",
    isOfAgent: true,
    flag: {
      name: "synopsis",
      value: "WHEN",
      help: "on: a synopsis of archival memory stands in the prompt (default {default})",
      group: "limit",
    },
  }),
  /** Seconds that the parts of the synopsis hold. Default as in MUXI: 7 days and 1 hour. */
  synopsisLifetimes: setting({
    form: (zod) => {
      const lifetime = zod.number().int().min(60).max(31_536_000);
      return zod.strictObject({ identity: lifetime, context: lifetime });
    },
    expected: '{"identity", "context"}, whole numbers of seconds from 60 to 31,536,000',
    default: { identity: 604_800, context: 3600 },
    isOfAgent: true,
  }),
  /** `on-access`: a turn that meets a part whose lifetime is over has it made anew in the background. */
  synopsisRefresh: setting({ ...oneOf("on-access", "by-hand"), default: "on-access", isOfAgent: true }),
  /** What is dropped of what no turn needs; what is absent is kept for ever. */
  retention: setting({
    form: (zod) => {
      const amount = positive(1_000_000)(zod).optional();
      const count = wholeNumber(1).form(zod).optional();
      return zod.strictObject({
        messages: zod.strictObject({ days: amount, megabytes: amount }).optional(),
        revisions: zod.strictObject({ days: amount, perModule: count }).optional(),
        steps: zod.strictObject({ days: amount }).optional(),
        passages: zod.strictObject({ rows: count, megabytes: amount }).optional(),
      });
    },
    expected:
      '{"messages": {"days", "megabytes"}, "revisions": {"days", "perModule"}, "steps": {"days"}, "passages": {"rows", "megabytes"}}, all over 0',
    default: {},
    isOfAgent: true,
  }),
  /** Weights of a search of archival memory; words count 1. */
  searchWeights: setting({
    form: (zod) => {
      const weight = zod.number().min(0).max(10);
      return zod.strictObject({ meaning: weight, literal: weight, importance: weight });
    },
    expected: '{"meaning", "literal", "importance"}, numbers from 0 to 10',
    default: { meaning: 0.5, literal: 1, importance: 0 },
    isOfAgent: true,
  }),
};
