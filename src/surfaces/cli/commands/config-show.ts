// `palimpsest config show`: the effective settings and the source of each.
// Invariant: it opens no store, and shows only whether a secret is set.
import type { Command } from "../command.ts";
import { creationFlags, settingFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { tableText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import type { ShownSetting } from "../world.ts";

export const configShow: Command = {
  words: ["config", "show"],
  usage: "",
  summary: "show every setting with its value and where it is set",
  details:
    "A value comes from a flag, the environment, the configuration file (with the file's own key) or the\n" +
    "default. Flags of this command are taken into account.",
  flags: [
    "json",
    ...creationFlags.filter((name) => settingFlags.some((other) => other === name)),
    "wait",
    ...toolFlags,
    ...storeFlags,
  ],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { file, settings } = await call.world.configuration(settingsOf(call.line));
    const rows = settings.map((setting) => [setting.key, originText(setting), valueText(setting)]);
    const heading = file === null ? "No configuration file was read." : `Configuration file: ${file}`;
    printResult(call, {
      json: { file, settings },
      text: `${heading}\n\n${tableText(["SETTING", "FROM", "VALUE"], rows, "")}`,
    });
    return 0;
  },
};

function valueText({ value }: ShownSetting): string {
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function originText({ from }: ShownSetting): string {
  return from.kind === "default" ? "default" : `${from.kind}: ${from.name}`;
}
