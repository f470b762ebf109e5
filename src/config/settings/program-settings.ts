// Defines the settings of time zone, chat, waiting, approvals, sandbox, tools folder, and the limits of a user on a server.
import { isTimeZone } from "../../base/calendar.ts";
import { listOrText, megabytes, nonBlank, numberOf, oneOf, orNull, wholeNumber } from "./forms.ts";
import { flag, setting } from "./setting.ts";

export const programSettings = {
  /** IANA time zone of all shown times, and of the days in searches. */
  timeZone: setting({
    form: (zod) => zod.string().refine(isTimeZone),
    expected: "an IANA time zone such as Europe/Lisbon",
    // This is a getter, because reading the machine's zone takes milliseconds, and `--help` does not need the zone.
    get default() {
      return machineTimeZone();
    },
    defaultText: "the machine's",
    isOfAgent: true,
    flag: flag("store", "time-zone", "ZONE", "for dates, such as Europe/Lisbon (default: the machine's)"),
    environment: ["PALIMPSEST_TIME_ZONE"],
  }),
  /** The colours of the terminal chat. `auto`: `dark` or `light`, by the background that the terminal reports. */
  theme: setting({ ...oneOf("auto", "dark", "light", "none"), default: "auto", environment: ["PALIMPSEST_THEME"] }),
  /** `on`: the chat rings the terminal's bell when a turn ends or waits for approval. */
  bell: setting({ ...oneOf("off", "on"), default: "off", environment: ["PALIMPSEST_BELL"] }),
  /**
   * How the chat notifies the desktop when a turn ends while the terminal has no focus. `osc9`: iTerm2, kitty, WezTerm,
   * Windows; `osc777`: foot, Ghostty, urxvt, terminals with VTE.
   */
  notification: setting({
    ...oneOf("off", "osc9", "osc777"),
    default: "off",
    environment: ["PALIMPSEST_NOTIFICATION"],
  }),
  /** The chat's status line: a template with names in braces, or `!` and a command; null: the built-in status line. */
  statusLine: setting({
    ...orNull({ form: nonBlank, expected: "a template such as {agent} · {windowPercent}%, or ! and a command" }),
    default: null,
    environment: ["PALIMPSEST_STATUS_LINE"],
  }),
  /** The key bindings of the chat's prompt. */
  editorKeys: setting({ ...oneOf("emacs", "vim"), default: "emacs", environment: ["PALIMPSEST_EDITOR_KEYS"] }),
  /** `on`: the chat sets the terminal's title to the agent's name and its current activity. */
  terminalTitle: setting({ ...oneOf("on", "off"), default: "on", environment: ["PALIMPSEST_TERMINAL_TITLE"] }),
  /** `on`: `!COMMAND` in the chat runs a shell command. Off by default: the chat is for memory, not for the machine. */
  shellCommands: setting({ ...oneOf("off", "on"), default: "off", environment: ["PALIMPSEST_SHELL_COMMANDS"] }),
  /** OpenTelemetry spans of turns. `spans`: without texts; `content`: with the texts that models and tools wrote. */
  telemetry: setting({ ...oneOf("off", "spans", "content"), default: "off", environment: ["PALIMPSEST_TELEMETRY"] }),
  /** Where Python tools run: nowhere, or in processes that Linux namespaces isolate. */
  sandbox: setting({
    ...oneOf("off", "namespaces"),
    default: "off",
    flag: flag("tools", "sandbox", "KIND", "where Python tools run: off or namespaces (default {default})"),
    environment: ["PALIMPSEST_SANDBOX"],
  }),
  /** A folder with modules that each export tools, for all agents; null: none. */
  toolsFolder: setting({
    ...orNull({ form: nonBlank, expected: "the path of a folder" }),
    default: null,
    flag: flag("tools", "tools", "FOLDER", "folder with modules that export tools, for this run"),
    environment: ["PALIMPSEST_TOOLS"],
  }),
  /** Maximum seconds that a turn waits while another process runs a turn in the same conversation. */
  waitSeconds: setting({
    ...numberOf("seconds", 0, 86_400),
    default: 60,
    flag: flag("wait", "wait", "SECONDS", "maximum wait for a busy conversation (default {default})"),
    environment: ["PALIMPSEST_WAIT"],
  }),
  /** Seconds after which a lease on a conversation expires. The process that runs a turn renews the lease before then. */
  leaseSeconds: setting({ ...numberOf("seconds", 1, 3600), default: 30 }),
  /** Minutes for which the events of a turn are stored, so that any process can read them; 0: they are not stored. */
  keepEventsMinutes: setting({ ...numberOf("minutes", 0, 43_200), default: 60 }),
  /** Tools whose calls wait for the user's approval. */
  approvals: setting({
    form: (zod) => listOrText(zod, zod.array(zod.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u))),
    expected: "names of tools, such as core_memory_replace,archival_memory_insert",
    default: [],
    isOfAgent: true,
    flag: flag("limit", "approvals", "A,B", "tools whose calls wait for your approval"),
  }),
  /** Seconds after which a call that waits for approval counts as denied; null: never. */
  approvalTimeout: setting({
    form: (zod) => wholeNumber(1).form(zod).nullable(),
    expected: `${wholeNumber(1).expected} (seconds), or "never"`,
    default: 86_400,
    wordForNull: "never",
    isOfAgent: true,
    flag: flag(
      "limit",
      "approval-timeout",
      "N",
      "seconds until a waiting call counts as denied, or never (default {default})",
    ),
  }),
};

/** Returns the machine's time zone; UTC if the zone is invalid, for example because of an unknown name in TZ. */
function machineTimeZone(): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : "UTC";
}

export const userSettings = {
  /** Maximum requests of one user that a server answers concurrently, not counting open streams. */
  maxUserRequests: setting({ ...wholeNumber(1), default: 32 }),
  /** Maximum open streams of a user on a server. */
  maxUserStreams: setting({ ...wholeNumber(1), default: 64 }),
  /** Maximum megabytes of one user's request bodies that a server holds in memory at a time. */
  maxUserMegabytes: setting({ ...megabytes(100_000), default: 32 }),
  /** Maximum agents that a user may use; null: no limit. */
  maxUserAgents: setting({ ...orNull(wholeNumber(1)), default: null }),
  /** Maximum files in all sources of a user; null: no limit. */
  maxUserFiles: setting({ ...orNull(wholeNumber(1)), default: null }),
};

/** Default limits of a server, so that one user cannot exhaust the process and the database that all users share. */
export const servedLimits = { maxConcurrentTurns: 50, maxUserAgents: 10_000, maxUserFiles: 10_000 } as const;
