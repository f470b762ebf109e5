// `palimpsest archival`: the passages of an agent's archive.
import { ConfigError, RequestError } from "../../../base/errors.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { foundPieces } from "../format/found-pieces.ts";
import { indent, minute, counted, tagText, trustText } from "../format/listing-texts.ts";
import { checkDays, choiceOf, dayOf, limitFlag, pageFlags, shareFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import type { CommandLine } from "../parse/parse-command-line.ts";
import { filledTextOf, queryOf } from "../parse/read-text.ts";
import { isConfirmed, notice } from "../print.ts";
import type { ArchivalOptions, FoundPassages, Passage } from "../runtime-records.ts";
import { exportPassages, importPassages, passageShape } from "./archival-transfer.ts";

export const commands = commandTable({
  "archival list": {
    summary: "list the passages of an agent's archive",
    flags: ["agent", "limit", "after", "json"],
    async run(call) {
      const range = { limit: limitFlag(call.line), ...given({ after: call.line.texts.after }) };
      const { archival } = await call.runtime();
      const [passages, total] = await Promise.all([archival.list(call.agent, range), archival.count(call.agent)]);
      const json = passages.map((passage) => ({ ...passageShape(passage), external: passage.external ?? [] }));
      return { json, text: passagesText(passages, total) };
    },
  },
  "archival search": {
    usage: "QUERY",
    summary: "search an agent's archive and its attached sources",
    details:
      "A query in double quotes finds exactly that text: '\"red boat\"'. Several tags, kinds or sources are combined with OR,\n" +
      "different flags with AND. Long texts are shown around their first match; --json has the full text.",
    flags: [
      "agent",
      "tag",
      "all-tags",
      "kind",
      "source",
      "since",
      "until",
      "min-importance",
      "explain",
      "page",
      "page-size",
      "json",
    ],
    async run(call, word) {
      const query = queryOf(word);
      const asked = { ...pageFlags(call.line), ...passageFilter(call.line) };
      const found = await (await call.runtime()).archival.search(call.agent, query, asked);
      const isExplained = call.line.switches.has("explain");
      return { json: foundShape(found), text: foundPieces(found, { query, isExplained }) };
    },
  },
  "archival add": {
    alias: "insert",
    usage: "TEXT",
    summary: "add a passage to an agent's archive; - reads stdin",
    flags: ["agent", "tag", "importance", "json"],
    async run(call, word) {
      const importance = shareFlag(call.line, "importance");
      const text = await filledTextOf(word, call.world);
      const details = { tags: call.line.lists.tag ?? [], ...given({ importance }) };
      const { id, isNew } = await (await call.runtime()).archival.add(call.agent, text, details);
      return { json: { id, isNew }, text: isNew ? "Added." : "The same text is already stored." };
    },
  },
  "archival tag": {
    usage: "ID [TAG ...]",
    summary: "replace the tags of a passage; without TAG, remove them",
    flags: ["agent", "json"],
    takes: { min: 1, max: 100 },
    async run(call, id) {
      const tags = call.words.slice(1);
      const found = await (await call.runtime()).archival.setTags(call.agent, id, tags);
      if (!found) throw noPassage(call, id);
      return { json: { id, tags }, text: tags.length === 0 ? "Removed the tags." : `Tagged: ${tags.join(", ")}.` };
    },
  },
  "archival remove": {
    alias: "delete",
    usage: "ID --yes",
    summary: "delete a passage; asks on a terminal without --yes",
    flags: ["agent", "yes"],
    async run(call, id) {
      if (!(await isConfirmed(call, `the passage ${id} of "${call.agent}"`))) {
        notice(call, "Nothing was deleted.");
        return exitCodes.failed;
      }
      if (await (await call.runtime()).archival.delete(call.agent, id)) return { text: "Deleted." };
      throw noPassage(call, id);
    },
  },
  "archival export": {
    usage: "FILE|-",
    summary: "export an agent's passages as JSON Lines",
    details: "Passages of attached sources are not included.",
    flags: ["agent"],
    handlesAbort: true,
    run: exportPassages,
  },
  "archival import": {
    usage: "FILE|-",
    summary: "import passages from JSON Lines",
    details:
      "A line is an object with `text` and optionally `tags`, `kind`, `importance` (0 to 1) and `at` (creation time). `id`,\n" +
      "`origin`, `trust` and `replacedBy` are ignored: passages get new ids and the trust class `external`. All lines are\n" +
      "checked before anything is stored.\n" +
      "Texts already stored are counted and skipped, so an interrupted import can be run again.",
    flags: ["agent", "json"],
    handlesAbort: true,
    run: importPassages,
  },
});

function noPassage({ agent }: CommandCall, id: string): RequestError {
  return new RequestError(
    "passage_not_found",
    `"${agent}" has no passage ${id}. \`palimpsest archival list -a ${agent}\` shows their ids.`,
  );
}

function passagesText(passages: readonly Passage[], total: number): string {
  if (total === 0) return "The archive is empty.";
  const lines = passages.map(({ id, at, tags, text, trust, external }) => {
    const head = [minute(at), tagText(tags), trustText(trust, external), id].filter((part) => part !== "").join("  ");
    return `${head}\n${indent(text)}`;
  });
  return [...lines, `${passages.length} of ${counted(total, "passage")}.`].join("\n");
}

/** Returns a page of hits as `--json` prints it. Pages count from 1, as in `--page`. */
function foundShape({ hits, page, pageSize, total, wordsAlone }: FoundPassages): object {
  return {
    page: page + 1,
    pageSize,
    total,
    wordsAlone,
    hits: hits.map((hit) => {
      const { id, text, tags, kind, trust, origin = null, importance, source = null, at, replacement = null } = hit;
      const { explanation } = hit;
      return { id, role: null, text, tags, kind, trust, origin, importance, at, source, replacement, explanation };
    }),
  };
}

const kinds = ["memory", "fact", "document"] as const;

/** Returns the filters of a search. Throws ConfigError for invalid flags. */
function passageFilter(line: CommandLine): ArchivalOptions {
  const { lists, switches, texts } = line;
  const { tag = [], source: sources } = lists;
  if (switches.has("all-tags") && tag.length === 0) {
    throw new ConfigError("--all-tags needs --tag, as in --tag boat --tag sea.");
  }
  const minImportance = shareFlag(line, "min-importance");
  const [startDate, endDate] = [texts.since, texts.until].map((text) => (text === undefined ? text : dayOf(text)));
  if (startDate !== undefined && endDate !== undefined) checkDays(startDate, endDate);
  const named = lists.kind?.map((text) => choiceOf(text, "--kind", kinds, ", "));
  const tagged = tag.length === 0 ? {} : { [switches.has("all-tags") ? "allTags" : "tags"]: tag };
  return { ...tagged, ...given({ kinds: named, sources, startDate, endDate, minImportance }) };
}
