// Sources and loads as text.
import { minute, tableText } from "./listing-texts.ts";
import type { Source, SourceFile, SourceLoadResult } from "../runtime-records.ts";

/** Maximum number of files that a summary lists per outcome; `--json` has all. */
const maxNamed = 50;

/** Outcomes of the files, most important first. */
export function loadText({ source, failed, skipped, gone, removed, vectors, ...load }: SourceLoadResult): string {
  const { added, changed, unchanged, passages } = load;
  const counts = `${files(added)} added, ${number(changed)} changed, ${number(unchanged)} unchanged, ${number(failed.length)} failed, ${number(skipped.length)} skipped`;
  return [
    ...named("Could not be read:", failed),
    ...named("Passed over:", skipped),
    ...named(
      removed > 0 ? "Removed, since the files no longer exist:" : "Missing, but kept (--prune removes them):",
      gone.map((name) => ({ name, reason: "" })),
    ),
    `Loaded into "${source.name}": ${counts}.`,
    `${count(passages, "new passage")}, ${count(source.passages, "passage")} in all; ${count(vectors.made, "vector")} made${missingText(vectors.missing)}.`,
    source.agents.length === 0
      ? `No agent searches it yet: \`palimpsest attach ${quoted(source.name)} -a NAME\`.`
      : `Searched by ${source.agents.join(", ")}.`,
  ].join("\n");
}

function missingText(missing: number): string {
  return missing === 0 ? "" : `, ${number(missing)} missing: until then, those passages are found by words only`;
}

function named(heading: string, all: readonly { readonly name: string; readonly reason: string }[]): readonly string[] {
  if (all.length === 0) return [];
  const lines = all
    .slice(0, maxNamed)
    .map(({ name, reason }) => `  ${oneLine(name)}${reason === "" ? "" : `: ${reason}`}`);
  const rest = all.length - lines.length;
  return [heading, ...lines, ...(rest > 0 ? [`  and ${number(rest)} more (--json lists all)`] : [])];
}

export function sourcesText(sources: readonly Source[]): string {
  return tableText(
    ["NAME", "FILES", "FAILED", "SIZE", "PASSAGES", "LOADED (UTC)", "AGENTS"],
    sources.map(({ name, files: held, failed, bytes, passages, loadedAt, agents }) => [
      name,
      number(held),
      number(failed),
      size(bytes),
      number(passages),
      loadedAt === null ? "never" : minute(loadedAt),
      agents.join(", "),
    ]),
    "There are no sources yet. `palimpsest load FOLDER --source NAME` creates one.",
  );
}

export function sourceText(source: Source, held: readonly SourceFile[]): string {
  const { name, description, agents, passages, bytes, id } = source;
  const head = [
    `${name}  ${id}`,
    ...(description === null ? [] : [description]),
    `${files(source.files)}, ${size(bytes)}, ${count(passages, "passage")}; ${agents.length === 0 ? "searched by no agent" : `searched by ${agents.join(", ")}`}`,
  ];
  const rows = held.map((file) => [
    file.status === "loaded" ? number(file.passages) : "failed",
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

function files(held: number): string {
  return count(held, "file");
}

function count(many: number, word: string): string {
  return `${number(many)} ${word}${many === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, by] = bytes < 1e6 ? ["kB", 1e3] : ["MB", 1e6];
  return `${(bytes / by).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;
}

function quoted(name: string): string {
  return /^[\w.-]+$/u.test(name) ? name : `"${name}"`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ");
}
