// `palimpsest load`.
import { nameCommand } from "../../../base/started-command.ts";
import type { LoadProgress } from "../../../runtime/sources.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printResult } from "../print.ts";
import { createProgressBar } from "../format/progress-bar.ts";
import type { WorkProgress } from "../format/progress-line.ts";
import { loadShape } from "../format/source-shapes.ts";
import { loadText } from "../format/source-texts.ts";

export const load: Command = {
  words: ["load"],
  usage: "FILE|FOLDER|PATTERN… --source NAME",
  summary: "load files into a source that agents can search",
  details:
    "Loads text, Markdown, HTML, PDF, JSON Lines and source code. A second run loads only new and changed files, and continues " +
    "an interrupted run. Unreadable files are reported and the others loaded; the exit code is then 1.",
  flags: ["source", "description", "prune", "json", ...storeFlags],
  takes: { min: 1, max: Number.MAX_SAFE_INTEGER },
  handlesAbort: true,
  async run(call) {
    const { description } = call.line.texts;
    const [source, other] = call.line.lists.source ?? [];
    if (other !== undefined)
      throw new ConfigError("Expected one --source, got several. Load into one source at a time.");
    if (source === undefined) {
      throw new ConfigError("Missing --source NAME: `palimpsest load docs --source NAME`. A new source is created.");
    }
    const { sources } = await call.runtime();
    const bar = createProgressBar(call);
    const { signal } = call.world;
    try {
      const done = await sources.load(source, call.words, {
        ...(description === undefined ? {} : { description }),
        prune: call.line.switches.has("prune"),
        onProgress: (progress) => bar.show(workOf(progress)),
        signal,
      });
      bar.clear();
      printResult(call, { json: loadShape(done), text: nameCommand(loadText(done), call.world.command) });
      return done.failed.length === 0 ? exitCodes.done : exitCodes.failed;
    } finally {
      bar.clear();
      if (signal.aborted) notice(call, "Files loaded so far stay: the same command continues from there.");
    }
  },
};

function workOf(progress: LoadProgress): Omit<WorkProgress, "elapsedMs"> {
  if (progress.phase === "vectors") {
    const { passagesDone: done, passages: total } = progress;
    return { label: "Making vectors", done, total, share: done / total, name: "" };
  }
  const { filesDone: done, files: total, bytesDone, bytes, name } = progress;
  return { label: "Reading files", done, total, share: bytes === 0 ? 1 : bytesDone / bytes, name };
}
