// Defines the slash commands that show help, agents, settings or checks, set options of the chat, or end the chat.
import { largest } from "../../../base/lists.ts";
import { type Dialog, tabSteps } from "../dialogs/dialog.ts";
import { pager, tabRow } from "../dialogs/pager.ts";
import { keyHelp } from "../keys/keybindings.ts";
import { paragraphRows } from "../rows/item-rows.ts";
import { type Row, span } from "../rows/row.ts";
import { type ThemeName, themes } from "../rows/theme.ts";
import { linesPanel } from "../view/notices.ts";
import { type Command, command, noteOutcome, refusalOutcome, unknownName } from "./command.ts";

export const helpCommand = command({
  usage: "/help",
  summary: "show the commands and keys",
  manual: "shows the commands and the keys; so does a single `/`",
  isAlwaysReady: true,
  async run({ topics, open, listCommands }) {
    const pages = topics.map(({ title, commands }): Tab => {
      const entries = commands.map(({ usage, summary }) => [usage, summary] as const);
      return { title, rows: (width) => listed(entries, width) };
    });
    const own = ((await listCommands?.()) ?? []).map(
      ({ name, form, summary }) => [`/${name} ${form}`.trim(), summary] as const,
    );
    const ownPage = own.length === 0 ? [] : [{ title: "Own", rows: (width: number) => listed(own, width) }];
    await open(tabs([...pages, ...ownPage, { title: "Keys", rows: (width) => listed(keyHelp, width) }]));
    return { items: [] };
  },
});

function listed(entries: readonly (readonly [string, string])[], width: number): readonly Row[] {
  const widest = largest(entries.map(([name]) => name.length));
  return entries.flatMap(([name, meaning]) =>
    paragraphRows(
      { indent: 2, lead: [span(`${name.padEnd(widest)}  `)], spans: [span(meaning, "faint")] },
      { width, isCut: false },
    ),
  );
}

export const multilineCommand = command({
  usage: "//",
  summary: "switch multi-line input: Enter adds a line, Alt+Enter sends",
  manual: "turns multi-line input on or off: Enter begins a new line, Alt+Enter or Ctrl+J sends",
  async run({ argument }) {
    if (argument !== "") return refusalOutcome("// takes no argument.", "A message of several lines needs no command.");
    return { items: [], effect: { type: "multiline" } };
  },
});

const names = Object.keys(themes) as readonly ThemeName[];

export const themeCommand = command({
  usage: "/theme [dark | light | none]",
  summary: "choose colours: dark, light or none",
  manual: "sets the colours for a dark or light background, or none, until you leave",
  async run({ argument }) {
    const name = argument.toLowerCase();
    if (name === "") return noteOutcome(`Themes: ${names.join(", ")}.`, "/theme light");
    const theme = names.find((one) => one === name);
    if (theme === undefined) return unknownName("There is no theme", name, { names, advice: "/theme light" });
    return {
      ...noteOutcome(
        `The theme is ${name} from now on, until you leave.`,
        `To keep it: "theme": "${name}" in the configuration file, or PALIMPSEST_THEME=${name}.`,
      ),
      effect: { type: "set", change: { theme } },
    };
  },
});

export const bellCommand = command({
  usage: "/bell [on | off]",
  summary: "ring when a turn ends or waits for you",
  manual:
    "rings the terminal's bell when a turn ends or waits for your approval, until you leave; without a word, `on`",
  isAlwaysReady: true,
  async run({ argument }) {
    const word = argument === "" ? "on" : argument.toLowerCase();
    if (word !== "on" && word !== "off")
      return refusalOutcome(`Expected on or off, got "${argument.slice(0, 40)}".`, "/bell on");
    return {
      ...noteOutcome(
        word === "on" ? "The bell rings when a turn ends or waits for your approval." : "The bell is off.",
        `To keep it: "bell": "${word}" in the configuration file, or PALIMPSEST_BELL=${word}.`,
      ),
      effect: { type: "set", change: { hasBell: word === "on" } },
    };
  },
});

export const exitCommand = command({
  usage: "/exit",
  summary: "leave; you can resume the conversation later",
  manual: "leaves",
  isAlwaysReady: true,
  run: async () => ({ items: [], effect: { type: "set", change: { hasLeft: true } } }),
});

// Rows wider than the terminal are cut, because a wrapped row of the table cannot be read.
export const agentsCommand = printed("agents list", { usage: "/agents", summary: "list your agents" }, { isCut: true });
export const configCommand = printed("config show", { usage: "/config", summary: "show every setting and its origin" });
export const doctorCommand = printed("doctor", { usage: "/doctor", summary: "check the installation" });

/** Returns a slash command that shows the unchanged output of a command of the command line. */
function printed(words: string, texts: Pick<Command, "usage" | "summary">, { isCut = false } = {}): Command {
  return command({
    ...texts,
    async run({ argument, printOf }) {
      if (argument !== "" || printOf === undefined)
        return refusalOutcome(`${texts.usage} takes no argument.`, `\`palimpsest ${words} --help\` shows the flags.`);
      return { items: [{ ...linesPanel(await printOf(words)), isCut }] };
    },
  });
}

export interface Tab {
  readonly title: string;
  /** Returns the content of the tab, as rows of at most this width. */
  rows(width: number): readonly Row[];
}

/** Returns a read-only dialog of tabs; `all` must not be empty. Content that is higher than the screen scrolls. */
function tabs(all: readonly Tab[], shown = 0): Dialog<never> {
  const titles = all.map(({ title }) => title);
  return pager({
    hints: ["← → or Tab: other pages", "Esc close", "Up, Down scroll"],
    rows: (width) => all[shown]?.rows(width) ?? [],
    head: (width) => [tabRow(titles, shown, width), []],
    answer(key) {
      if (key === "escape" || key === "q") return { type: "close", result: null };
      const by = tabSteps[key];
      return by === undefined ? null : { type: "show", dialog: tabs(all, (shown + by + all.length) % all.length) };
    },
  });
}
