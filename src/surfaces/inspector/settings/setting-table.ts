// Describes the settings of an agent in plain words: defines all their labels, units, help texts and controls on the page.
// Invariant: every setting that the server stores for an agent is in one group, which the compiler checks
// (`settingTable`); a test compares the defaults with those of the configuration.
import { amount, choice, entry, limit, part, type SettingGroup, toggle, units } from "./setting-entry.ts";

/** The fields of the agent's record besides its settings. */
export const recordGroup = {
  name: entry<string>("Name", "Unique among your agents.", { kind: "text", suggests: "nothing" }, undefined),
  description: entry<string | null>(
    "Description",
    "For people and programs; the agent does not see it.",
    { kind: "text", suggests: "nothing", none: "none" },
    undefined,
  ),
  systemPrompt: entry<string>(
    "System prompt",
    "Who the agent is and how it works. Core memory replaces {CORE_MEMORY}, or follows the text.",
    { kind: "prose" },
    undefined,
  ),
  model: entry<string>("Model", "Answers, and edits memory.", { kind: "text", suggests: "models" }, undefined),
};

export const modelGroup = {
  effort: entry(
    "Thinking",
    "How much the model thinks before it replies.",
    choice({ off: "Off", low: "Low", medium: "Medium", high: "High" }, "The provider's default"),
    null,
  ),
  temperature: entry(
    "Temperature",
    "From 0, the most even replies, to 2, the most varied; only for models that accept one.",
    amount(units.weight, "the provider's"),
    null,
  ),
  maxOutputTokens: entry(
    "Length of a reply",
    "The maximum length of one reply, without thoughts.",
    amount(units.tokens),
    4096,
  ),
  baseUrl: entry(
    "Model server",
    "The address of a server with the API of the model's provider.",
    { kind: "text", suggests: "nothing", none: "the provider's own" },
    null,
  ),
} satisfies Partial<SettingGroup>;

export const memoryGroup = {
  coreMemoryLimit: entry(
    "Length of a section",
    "The limit of a new section of core memory.",
    amount(units.characters),
    4000,
  ),
  consolidation: entry(
    "Tidying",
    "What happens with proposals to merge and shorten what memory holds.",
    choice({ off: "Off", propose: "Ask me", auto: "Do what is safe" }),
    "propose",
  ),
  consolidationIdleMinutes: entry(
    "Tidy when idle",
    "How long after the last turn memory is tidied, while the program runs.",
    amount({ seconds: 60, before: "After" }, "only on request"),
    null,
  ),
  synopsis: entry(
    "Synopsis of the archive",
    "The prompt contains a summary of the facts about you in the archive. Each refresh costs a model call.",
    toggle("on", "off"),
    "off",
  ),
  assist: entry(
    "Help for a small model",
    "A short prompt, one memory tool, memories with each message, and a model call after each turn that stores facts.",
    toggle("on", "off"),
    "off",
  ),
} satisfies Partial<SettingGroup>;

export const rareMemory = {
  synopsisRefresh: entry(
    "Refresh of the synopsis",
    "An expired part is refreshed by the turn that uses it, or only when you ask.",
    choice({ "on-access": "When it is used", "by-hand": "On request" }),
    "on-access",
  ),
  synopsisLifetimes: entry(
    "Lifetime of the synopsis",
    "How long each of its parts is valid.",
    {
      kind: "amounts",
      amounts: [part("Who you are", "identity", units.second), part("What you do now", "context", units.second)],
      expected: "whole seconds from 1 minute to 365 days",
    },
    { identity: 604_800, context: 3600 },
  ),
  scratchpadUpdate: entry(
    "Update of the scratchpad",
    "A model call after each step updates the scratchpad, if the agent's memory has one.",
    toggle("step", "off"),
    "off",
  ),
  searchWeights: entry(
    "Ranking in the archive",
    "How much each match counts in a search, from 0 to 10; a match of words counts 1.",
    {
      kind: "amounts",
      amounts: [
        part("Meaning", "meaning", units.weight),
        part("Exact words", "literal", units.weight),
        part("Importance", "importance", units.weight),
      ],
      expected: "a number from 0 to 10",
    },
    { meaning: 0.5, literal: 1, importance: 0 },
  ),
  retention: entry(
    "What is kept",
    "Data beyond a limit is dropped if no turn needs it. Without a limit it is kept forever.",
    {
      kind: "amounts",
      amounts: [
        limit("Messages, age", "messages.days", units.days),
        limit("Messages, size", "messages.megabytes", units.megabytes),
        limit("Revisions, age", "revisions.days", units.days),
        limit("Revisions of a section", "revisions.perModule", { one: "revision" }),
        limit("Model calls, age", "steps.days", units.days),
        limit("Archive, passages", "passages.rows", { one: "passage" }),
        limit("Archive, size", "passages.megabytes", units.megabytes),
      ],
      same: "Everything",
      expected: "a number over 0",
    },
    {},
  ),
} satisfies Partial<SettingGroup>;

export const windowGroup = {
  contextWindow: entry(
    "Size of the window",
    "How much the model receives with a message.",
    amount(units.tokens, "the model's"),
    null,
  ),
  compaction: entry(
    "Older messages",
    "What becomes of messages that leave the window.",
    choice({ recursive: "One summary", ring: "A row of summaries", truncate: "No summary" }),
    "recursive",
  ),
  compactAt: entry("Summarize at", "How full the window is when older messages leave it.", amount(units.percent), 0.9),
  summarizer: entry(
    "Model for summaries",
    "The model that writes summaries and tidies memory.",
    { kind: "text", suggests: "models", none: "the agent's own" },
    null,
  ),
} satisfies Partial<SettingGroup>;

export const rareWindow = {
  warnAt: entry(
    "Warn the model at",
    "How full the window is when the model is told to save what matters.",
    amount(units.percent),
    0.75,
  ),
  keepLast: entry(
    "Messages that stay",
    "The last messages that a summary leaves in the window.",
    amount(units.messages),
    10,
  ),
  compactMessages: entry(
    "Most messages in the window",
    "Above this number, older messages leave the window, however short they are.",
    amount(units.messages, "no limit"),
    null,
  ),
  ringBatch: entry(
    "Messages of a summary",
    "The minimum number of messages in each summary of a row.",
    amount(units.messages),
    10,
  ),
  ringEntries: entry(
    "Length of the row of summaries",
    "Above this number, the oldest summaries are merged.",
    amount({ one: "summary", many: "summaries" }),
    500,
  ),
  recentTurns: entry(
    "Turns with precedence",
    "The last turns stay in a full window before anything older.",
    amount({ one: "turn" }),
    4,
  ),
  tiers: entry(
    "Shares of the window",
    "Parts with a higher number are cut first.",
    {
      kind: "amounts",
      amounts: [
        part("System, at least", "system.minimum", units.percent),
        part("System, at most", "system.maximum", units.percent),
        part("Last turns, at least", "working.minimum", units.percent),
        part("Last turns, at most", "working.maximum", units.percent),
        part("Last turns, cut as number", "working.priority", units.weight),
        part("Older turns, at least", "archive.minimum", units.percent),
        part("Older turns, at most", "archive.maximum", units.percent),
        part("Older turns, cut as number", "archive.priority", units.weight),
      ],
      same: "As usual",
      expected:
        "shares from 0 to 100 % with the least not above the most, which together need at most 100 %, and whole numbers from 1 for the order",
    },
    {
      system: { minimum: 0, maximum: 1 },
      working: { minimum: 0, maximum: 1, priority: 2 },
      archive: { minimum: 0.1, maximum: 1, priority: 3 },
    },
  ),
  layout: entry(
    "Changes of core memory",
    "At the end the provider's cache stays valid; in the prompt each change makes it invalid.",
    choice({ stable: "At the end", inline: "In the prompt" }),
    "stable",
  ),
  stateBlock: entry(
    "Notes beside a message",
    "The time, the size of memory and how full the window is, or only the changes of core memory.",
    choice({ full: "All", changes: "Changes only" }),
    "full",
  ),
} satisfies Partial<SettingGroup>;

export const turnGroup = {
  maxSteps: entry("Model calls", "The maximum number in a turn.", amount({ one: "model call" }), 50),
  maxTurnTokens: entry("Tokens", "The maximum for all model calls of a turn.", amount(units.tokens, "no limit"), null),
  maxTurnDollars: entry(
    "Cost",
    "The maximum for all model calls of a turn, by the configured prices.",
    amount(units.dollars, "no limit"),
    null,
  ),
} satisfies Partial<SettingGroup>;

export const rareTurn = {
  maxToolCalls: entry(
    "Tool calls of a reply",
    "Calls beyond this number in one reply do not run.",
    amount({ one: "tool call" }),
    64,
  ),
  toolResultLimit: entry(
    "Length of a tool's result",
    "A longer result is shortened in the window.",
    amount(units.characters),
    3000,
  ),
} satisfies Partial<SettingGroup>;

export const toolGroup = {
  approvals: entry(
    "Tools that ask first",
    "Calls of these tools wait until you approve them.",
    { kind: "names", none: "None" },
    [],
  ),
  approvalTimeout: entry(
    "Unanswered calls",
    "When a call that waits for you counts as denied.",
    amount({ seconds: 1, before: "Denied after" }, "never denied"),
    86_400,
  ),
  removedTools: entry(
    "Tools turned off",
    "Tools of the program that the agent lacks.",
    { kind: "tools", none: "None" },
    [],
  ),
  addedTools: entry(
    "Tools turned on",
    "Optional tools of the program that the agent has.",
    { kind: "tools", none: "None" },
    [],
  ),
} satisfies Partial<SettingGroup>;

export const rareTools = {
  toolRules: entry(
    "Order of tool calls",
    "Which tool may follow which, and which one ends a turn.",
    {
      kind: "rules",
      none: "No rules",
      expected: "the name of a tool in each rule, and its values",
    },
    [],
  ),
} satisfies Partial<SettingGroup>;

export const personGroup = {
  timeZone: entry(
    "Time zone",
    "The zone of the times that the agent reads and writes.",
    { kind: "text", suggests: "zones" },
    undefined,
  ),
} satisfies Partial<SettingGroup>;
