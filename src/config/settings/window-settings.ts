// Defines the settings of the window: its layout, its tiers and compaction.
import { oneOf, orNull, wholeNumber } from "./forms.ts";
import { modelName } from "./model-settings.ts";
import { flag, setting, type Zod } from "./setting.ts";

const share = (zod: Zod) => zod.number().gt(0).max(1);
const shareOfWindow = { form: share, expected: "a number over 0 and at most 1, a share of the window" };

interface Limits {
  readonly minimum: number;
  readonly maximum: number;
}

const isInOrder = ({ minimum, maximum }: Limits): boolean => minimum <= maximum;
const tierDefaults = {
  system: { minimum: 0, maximum: 1 },
  working: { minimum: 0, maximum: 1, priority: 2 },
  archive: { minimum: 0.1, maximum: 1, priority: 3 },
};
const tierLimits = (zod: Zod, { minimum, maximum }: Limits) => ({
  minimum: zod.number().min(0).max(1).default(minimum),
  maximum: share(zod).default(maximum),
});
const fixedTier = (zod: Zod, limits: Limits) =>
  zod.strictObject(tierLimits(zod, limits)).refine(isInOrder).default(limits);
const rankedTier = (zod: Zod, ranked: Limits & { readonly priority: number }) =>
  zod
    .strictObject({
      ...tierLimits(zod, ranked),
      /** The tier with the highest number is cut first. */
      priority: wholeNumber(1).form(zod).default(ranked.priority),
    })
    .refine(isInOrder)
    .default(ranked);

export const windowSettings = {
  /** Where a request contains the changes of core memory. docs/context.md describes both layouts. */
  layout: setting({
    ...oneOf("stable", "inline"),
    default: "stable",
    isOfAgent: true,
    flag: flag("limit", "layout", "NAME", "{default} (default) or inline: place of core memory changes in a request"),
  }),
  /**
   * The content of state entries. `full`: the changes of core memory, the time, the counts of messages and memories, and how
   * full the window is. `changes`: only the changes of core memory, which are rarely due in the layout `inline`.
   */
  stateBlock: setting({ ...oneOf("full", "changes"), default: "full", isOfAgent: true }),
  /** Number of last turns that have priority over all older content of the window. */
  recentTurns: setting({ ...wholeNumber(0), default: 4, isOfAgent: true }),
  /** Minimum and maximum share of the budget for each tier, and the order in which tiers are cut: docs/context.md. */
  tiers: setting({
    form: (zod) =>
      zod
        .strictObject({
          system: fixedTier(zod, tierDefaults.system),
          working: rankedTier(zod, tierDefaults.working),
          archive: rankedTier(zod, tierDefaults.archive),
        })
        .refine(({ system, working, archive }) => system.minimum + working.minimum + archive.minimum <= 1),
    expected:
      '{"system", "working", "archive": {"minimum": SHARE, "maximum": SHARE}}, shares from 0 to 1 whose minimums add up to 1 at most, and for working and archive a "priority", a whole number from 1 (the larger is cut first); missing values have their defaults',
    default: tierDefaults,
    isOfAgent: true,
  }),
  /** Number of newest messages that a compaction keeps in the window. */
  keepLast: setting({ ...wholeNumber(0), default: 10, isOfAgent: true }),
  /** Share of the window, over 0 and at most 1, above which the model is warned that the window is filling up. */
  warnAt: setting({ ...shareOfWindow, default: 0.75, isOfAgent: true }),
  /** Share of the window, over 0 and at most 1, above which older messages leave the window. */
  compactAt: setting({ ...shareOfWindow, default: 0.9, isOfAgent: true }),
  /** What replaces messages that leave the window: one summary, a ring of several summaries, or nothing. */
  compaction: setting({
    ...oneOf("recursive", "ring", "truncate"),
    default: "recursive",
    isOfAgent: true,
    flag: flag("limit", "compaction", "NAME", "how messages leave the window: {default} (default), ring or truncate"),
  }),
  /** Maximum number of messages in the window, regardless of their tokens; above it, older messages leave; null: no limit. */
  compactMessages: setting({
    ...orNull(wholeNumber(2)),
    expected: `${wholeNumber(2).expected}, or "none"`,
    default: null,
    wordForNull: "none",
    isOfAgent: true,
    flag: flag("limit", "compact-messages", "N", "summarize above N messages in the window (default: none)"),
  }),
  /** Minimum number of messages that one summary of the ring replaces. */
  ringBatch: setting({ ...wholeNumber(2), default: 10, isOfAgent: true }),
  /** Maximum number of summaries in the ring. */
  ringEntries: setting({ ...wholeNumber(1), default: 500, isOfAgent: true }),
  /** The model that summarizes, in the format of `model`; null: the agent's own. */
  summarizer: setting({
    ...orNull(modelName),
    expected: `${modelName.expected}, or "none" for the agent's own`,
    default: null,
    wordForNull: "none",
    isOfAgent: true,
    flag: flag("limit", "summarizer", "MODEL", "the model that summarizes (default: the agent's own)"),
  }),
};
