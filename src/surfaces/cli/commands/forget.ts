// `palimpsest forget`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { forgetWithInputs } from "../chat/forget-with-inputs.ts";
import { confirm } from "../confirm.ts";
import { forgettingText, placesText, previewText } from "../format/forgetting-texts.ts";
import { storeFlags } from "../parse/flags.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printResult, printText } from "../print.ts";
import type { ForgetPreview, ForgetRequest } from "../runtime-records.ts";

export const forget: Command = {
  words: ["forget"],
  usage: "[TEXT] [--message ID] [--passage ID]",
  summary: "remove content everywhere, for good; asks first",
  details:
    "Shows every place that holds the text, and what is similar: memory, messages of all conversations, summaries, files.\n" +
    "Then asks, and removes it from all of them at once. It cannot be undone. --dry-run only shows the places.",
  flags: ["message", "passage", "exact", "list", "dry-run", "yes", "json", ...storeFlags],
  takes: { min: 0, max: 1 },
  async run(call) {
    return call.line.switches.has("list") ? list(call) : forgetOnce(call, requestOf(call));
  },
};

function requestOf({ line, words }: CommandCall): ForgetRequest {
  const { message: messages = [], passage: passages = [] } = line.lists;
  if (words.length + messages.length + passages.length > 0)
    return { texts: words, messages, passages, exact: line.switches.has("exact") };
  throw new ConfigError(
    'Expected a text, --message or --passage, got none. Example: `palimpsest forget "my old address"`',
  );
}

async function list(call: CommandCall): Promise<number> {
  const records = await (await call.runtime()).forget.list();
  const text = records.length === 0 ? "Nothing was forgotten yet." : records.map(forgettingText).join("\n");
  printResult(call, { json: records, text });
  return 0;
}

async function forgetOnce(call: CommandCall, request: ForgetRequest): Promise<number> {
  const runtime = await call.runtime();
  const preview = await runtime.forget.preview(request);
  if (call.line.switches.has("dry-run") || preview.places.length === 0) {
    printResult(call, { json: { ...preview, id: null }, text: previewText(preview) });
    return 0;
  }
  if (!(await isConfirmed(call, preview))) return 1;
  const { dataDir } = await call.world.settings(settingsOf(call.line));
  const forgotten = await forgetWithInputs(runtime, dataDir).apply(request, { origin: "user" });
  const text = [`Removed from ${placesText(forgotten.places)}.`, ...forgotten.outOfReach].join("\n");
  printResult(call, { json: { ...forgotten, similar: preview.similar }, text });
  return 0;
}

/** Asks in a terminal. Throws ConfigError elsewhere without `--yes`. */
async function isConfirmed({ line, world }: CommandCall, preview: ForgetPreview): Promise<boolean> {
  if (line.switches.has("yes")) return true;
  const places = placesText(preview.places);
  if (!world.isTerminal)
    throw new ConfigError(
      `This would permanently remove it from ${places}. To confirm, add --yes; --dry-run shows them.`,
    );
  printText(world, previewText(preview));
  return confirm(world, `Remove it from ${places} for good?`);
}
