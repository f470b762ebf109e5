// `/theme [NAME]`: changes the colours, or lists the themes.
import { nearestName } from "../../../base/nearest-name.ts";
import { type ThemeName, themes } from "../rows/theme.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

const names = Object.keys(themes);

export const themeCommand: Command = {
  name: "theme",
  usage: "/theme [dark | light | none]",
  summary: "choose colours: dark, light or none",
  manual: "sets the colours for a dark or light background, or none, until you leave",
  isAlwaysReady: false,
  async run({ argument }) {
    const name = argument.toLowerCase();
    if (name === "") return noteOutcome(`There are the themes ${names.join(", ")}.`, "/theme light");
    if (!isTheme(name)) {
      const near = nearestName(name, names);
      const hint = near === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${near}?`;
      return refusalOutcome(`There is no theme "${argument.slice(0, 40)}". ${hint}`, "/theme light");
    }
    return {
      ...noteOutcome(
        `The theme is ${name} from now on, until you leave.`,
        `To keep it: "theme": "${name}" in the configuration file, or PALIMPSEST_THEME=${name}.`,
      ),
      effect: { type: "theme", name },
    };
  },
};

function isTheme(name: string): name is ThemeName {
  return Object.hasOwn(themes, name);
}
