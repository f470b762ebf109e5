// `palimpsest load`, `attach`, `detach` and `sources`: files that agents can search.
import { ConfigError, RequestError } from "../../../base/errors.ts";
import { nameCommand } from "../../../base/started-command.ts";
import { numberText } from "../../../base/window-words.ts";
import type { LoadProgress } from "../../../runtime/sources/contract.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { counted, minute, recordsText, tableText } from "../format/listing-texts.ts";
import { withProgressBar, type WorkProgress } from "../format/progress-bar.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { requireYes } from "../print.ts";
import type { Source, SourceFile, SourceLoadResult } from "../runtime-records.ts";

export const commands = commandTable({
  load: {
    usage: "FILE|FOLDER|PATTERN… --source NAME",
    summary: "load files into a source that agents can search",
    details:
      "Loads text, Markdown, HTML, PDF, JSON Lines and source code. A second run loads only new and changed files, and continues " +
      "an interrupted run. Unreadable files are reported and the others loaded; the exit code is then 1.",
    flags: ["source", "description", "prune", "json"],
    takes: { min: 1, max: Number.MAX_SAFE_INTEGER },
    handlesAbort: true,
    run: load,
  },
  attach: {
    usage: "SOURCE",
    summary: "attach a source to an agent (copies nothing)",
    flags: ["agent", "json"],
    async run(call, source) {
      const attached = await (await call.runtime()).sources.attach(call.agent, source);
      const adverb = attached ? "now" : "already";
      return { json: { attached }, text: `"${call.agent}" ${adverb} searches "${source}".` };
    },
  },
  detach: {
    usage: "SOURCE",
    summary: "detach a source from an agent (deletes nothing)",
    flags: ["agent", "json"],
    async run(call, source) {
      const detached = await (await call.runtime()).sources.detach(call.agent, source);
      const verb = detached ? "no longer searches" : "did not search";
      return { json: { detached }, text: `"${call.agent}" ${verb} "${source}".` };
    },
  },
  "sources list": {
    summary: "list your sources and the agents that search them",
    flags: ["json"],
    async run(call) {
      const sources = await (await call.runtime()).sources.list();
      return { json: sources, text: nameCommand(sourcesText(sources), call.world.command) };
    },
  },
  "sources show": {
    usage: "NAME",
    summary: "show a source and its files, with those that failed",
    flags: ["json"],
    async run(call, name) {
      const { sources } = await call.runtime();
      const [source, loaded] = [await sources.show(name), await sources.files(name)];
      return { json: { ...source, loaded }, text: sourceText(source, loaded) };
    },
  },
  "sources add": {
    usage: "NAME",
    summary: "create an empty source",
    details: "load creates a source, too.",
    flags: ["description", "json"],
    async run(call, name) {
      const { description } = call.line.texts;
      const source = await (await call.runtime()).sources.create(name, given({ description }));
      return { json: source, text: `Created source "${source.name}".` };
    },
  },
  "sources passages": {
    usage: "NAME",
    summary: "list the passages of a source",
    flags: ["limit", "after", "json"],
    async run(call, name) {
      const range = { limit: limitFlag(call.line), ...given({ after: call.line.texts.after }) };
      const passages = await (await call.runtime()).sources.passages(name, range);
      return { json: passages, text: recordsText(passages, ["id", "at", "text"], "It has no passages.") };
    },
  },
  "sources remove": {
    usage: "NAME [FILE] --yes",
    summary: "remove a source for every agent, or one of its files",
    flags: ["yes", "json"],
    run: (call, name, file?: string) => (file === undefined ? removeSource(call, name) : removeFile(call, name, file)),
  },
  "sources rename": {
    usage: "OLD NEW",
    summary: "rename a source; agents keep searching it",
    flags: ["json"],
    async run(call, old, name) {
      const source = await (await call.runtime()).sources.update(old, { name });
      return { json: source, text: `Renamed source "${old}" to "${source.name}".` };
    },
  },
});

async function removeSource(call: CommandCall, nameOrId: string): Promise<Result> {
  const { sources } = await call.runtime();
  const { id, name, passages, agents } = await sources.show(nameOrId);
  const whose = agents.length === 0 ? "" : `, which ${agents.join(", ")} can search`;
  requireYes(call, `"${name}" with its ${passages.toLocaleString("en-US")} passages${whose}`);
  await sources.delete(id);
  return { json: { deleted: name, passages }, text: `Removed source "${name}".` };
}

async function removeFile(call: CommandCall, name: string, file: string): Promise<Result> {
  requireYes(call, `the passages of ${file} in "${name}"`);
  const removed = await (await call.runtime()).sources.removeFile(name, file);
  if (!removed)
    throw new RequestError(
      "source_not_found",
      `The source "${name}" has no file ${file}. \`palimpsest sources show ${name}\` lists its files.`,
    );
  return { json: { removed: file }, text: `Removed ${file} from "${name}".` };
}

async function load(call: CommandCall): Promise<Result> {
  const { description } = call.line.texts;
  const [source, other] = call.line.lists.source ?? [];
  if (other !== undefined) throw new ConfigError("Expected one --source, got several. Load into one source at a time.");
  if (source === undefined) {
    throw new ConfigError("Missing --source NAME: `palimpsest load docs --source NAME`. A new source is created.");
  }
  const { sources } = await call.runtime();
  const advice = "The files loaded so far are kept. Run the same command again to continue.";
  const done = await withProgressBar(call, advice, (bar) =>
    sources.load(source, call.words, {
      ...given({ description }),
      prune: call.line.switches.has("prune"),
      onProgress: (progress) => bar.show(workOf(progress)),
      signal: call.world.signal,
    }),
  );
  return {
    json: done,
    text: nameCommand(loadText(done), call.world.command),
    exitCode: done.failed.length === 0 ? exitCodes.done : exitCodes.failed,
  };
}

function workOf(progress: LoadProgress): Omit<WorkProgress, "elapsedMs"> {
  if (progress.phase === "vectors") {
    const { passagesDone: done, passages: total } = progress;
    return { label: "Making vectors", done, total, share: done / total, name: "" };
  }
  const { filesDone: done, files: total, bytesDone, bytes, name } = progress;
  return { label: "Reading files", done, total, share: bytes === 0 ? 1 : bytesDone / bytes, name };
}

/** Maximum number of files that a summary lists per outcome; `--json` has all. */
const maxNamed = 50;

/** Returns the result of a load as text: the outcomes of its files, most important first, and the counts. */
function loadText({ source, failed, skipped, gone, removed, vectors, ...load }: SourceLoadResult): string {
  const { added, changed, unchanged, passages } = load;
  const counts = `${counted(added, "file")} added, ${numberText(changed)} changed, ${numberText(unchanged)} unchanged, ${numberText(failed.length)} failed, ${numberText(skipped.length)} skipped`;
  return [
    ...named("Could not be read:", failed),
    ...named("Skipped:", skipped),
    ...named(
      removed > 0 ? "Removed, since the files no longer exist:" : "Missing, but kept (--prune removes them):",
      gone.map((name) => ({ name, reason: "" })),
    ),
    `Loaded into "${source.name}": ${counts}.`,
    `${counted(passages, "new passage")}, ${counted(source.passages, "passage")} in all; ${counted(vectors.made, "vector")} made${missingText(vectors.missing)}.`,
    source.agents.length === 0
      ? `No agent searches it yet: \`palimpsest attach ${quoted(source.name)} -a NAME\`.`
      : `Searched by ${source.agents.join(", ")}.`,
  ].join("\n");
}

function missingText(missing: number): string {
  return missing === 0 ? "" : `, ${numberText(missing)} missing: passages without a vector are found by words only`;
}

function named(heading: string, all: readonly { readonly name: string; readonly reason: string }[]): readonly string[] {
  if (all.length === 0) return [];
  const lines = all
    .slice(0, maxNamed)
    .map(({ name, reason }) => `  ${name.replaceAll(/\s+/gu, " ")}${reason === "" ? "" : `: ${reason}`}`);
  const rest = all.length - lines.length;
  return [heading, ...lines, ...(rest > 0 ? [`  and ${numberText(rest)} more (--json lists all)`] : [])];
}

function sourcesText(sources: readonly Source[]): string {
  return tableText(
    ["NAME", "FILES", "FAILED", "SIZE", "PASSAGES", "LOADED (UTC)", "AGENTS"],
    sources.map(({ name, files: held, failed, bytes, passages, loadedAt, agents }) => [
      name,
      numberText(held),
      numberText(failed),
      size(bytes),
      numberText(passages),
      loadedAt === null ? "never" : minute(loadedAt),
      agents.join(", "),
    ]),
    "There are no sources yet. `palimpsest load FOLDER --source NAME` creates one.",
  );
}

function sourceText(source: Source, held: readonly SourceFile[]): string {
  const { name, description, agents, passages, bytes, id } = source;
  const head = [
    `${name}  ${id}`,
    ...(description === null ? [] : [description]),
    `${counted(source.files, "file")}, ${size(bytes)}, ${counted(passages, "passage")}; ${agents.length === 0 ? "searched by no agent" : `searched by ${agents.join(", ")}`}`,
  ];
  const rows = held.map((file) => [
    file.status === "loaded" ? numberText(file.passages) : "failed",
    file.kind,
    size(file.bytes),
    minute(file.loadedAt),
    file.reason === null ? file.path : `${file.path} (${file.reason})`,
  ]);
  return [
    ...head,
    "",
    tableText(["PASSAGES", "KIND", "SIZE", "LOADED (UTC)", "FILE"], rows, "No file was loaded into it."),
  ].join("\n");
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, by] = bytes < 1e6 ? ["kB", 1e3] : ["MB", 1e6];
  return `${(bytes / by).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;
}

function quoted(name: string): string {
  return /^[\w.-]+$/u.test(name) ? name : `"${name}"`;
}
