// Defines the settings of the scratchpad, the synopsis, consolidation, retention and the weights of searches.
import { numberOf, oneOf, orNull, positive, wholeNumber } from "./forms.ts";
import { flag, setting } from "./setting.ts";

export const memorySettings = {
  /**
   * `on` helps a small model: the model has a short prompt and one memory tool, calls written as text are run, each
   * message is sent with items retrieved from memory, and a model call after each turn stores what the user stated.
   */
  assist: setting({
    ...oneOf("off", "on"),
    default: "off",
    isOfAgent: true,
    flag: flag("agent", "assist", "WHEN", "on: help a small model to remember (default {default})"),
  }),
  /** `step`: a model call after each step updates the scratchpad, if the memory has one. */
  scratchpadUpdate: setting({
    ...oneOf("off", "step"),
    expected: "off or step",
    default: "off",
    isOfAgent: true,
    flag: flag(
      "agent",
      "scratchpad-update",
      "WHEN",
      "step: a model call after each step updates the scratchpad (default {default})",
    ),
  }),
  /** `on`: the prompt contains a summary of what archival memory says about the user. Each refresh costs a model call. */
  synopsis: setting({
    ...oneOf("off", "on"),
    default: "off",
    isOfAgent: true,
    flag: flag("limit", "synopsis", "WHEN", "on: add a synopsis of archival memory to the prompt (default {default})"),
  }),
  /** Lifetimes of the parts of the synopsis, in seconds. Default as in MUXI: 7 days and 1 hour. */
  synopsisLifetimes: setting({
    form: (zod) => {
      const lifetime = zod.number().int().min(60).max(31_536_000);
      return zod.strictObject({ identity: lifetime, context: lifetime });
    },
    expected: '{"identity", "context"}, whole numbers of seconds from 60 to 31,536,000',
    default: { identity: 604_800, context: 3600 },
    isOfAgent: true,
  }),
  /** `on-access`: a turn that uses an expired part of the synopsis refreshes this part in the background. */
  synopsisRefresh: setting({ ...oneOf("on-access", "by-hand"), default: "on-access", isOfAgent: true }),
  /**
   * What `palimpsest consolidate` does with the operations that a model proposes. `propose`: all wait for a review. `auto`:
   * operations on exact duplicates and finished lines of core memory run without a review. `off`: the command is refused.
   */
  consolidation: setting({ ...oneOf("off", "propose", "auto"), default: "propose", isOfAgent: true }),
  /** Minutes from the last turn to a consolidation, if the process still runs; null: only on request or by schedule. */
  consolidationIdleMinutes: setting({ ...orNull(numberOf("minutes", 1, 1440)), default: null, isOfAgent: true }),
  /** Limits for data that no turn needs. Data above a limit is deleted; data without a limit is kept forever. */
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
  /** Weights of meaning, literal matches and importance in a search of archival memory; words have the weight 1. */
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
