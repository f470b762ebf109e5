// `palimpsest forget`, `retention` and `node-memory`: removal of content everywhere, and deletion of old data.
import { ConfigError } from "../../../base/errors.ts";
import type { NodeMemorySummary } from "../../../runtime/node-memory/contract.ts";
import { forgetWithInputs } from "../chat/input-history-file.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { clip, minute } from "../format/listing-texts.ts";
import { limitFlag, settingsOf } from "../parse/flag-values.ts";
import { confirm, printText } from "../print.ts";
import type { ForgetPreview, ForgetRequest, ForgettingRecord, ForgottenPlace, Sweep } from "../runtime-records.ts";

export const commands = commandTable({
  forget: {
    usage: "[TEXT] [--message ID] [--passage ID]",
    summary: "remove content everywhere, for good; asks first",
    details:
      "Shows every place that holds the text (memory, messages of all conversations, summaries, files), and similar texts.\n" +
      "Then asks, and removes the text from all places at once. This cannot be undone. --dry-run only shows the places.",
    flags: ["message", "passage", "exact", "list", "dry-run", "yes", "json"],
    async run(call) {
      return call.line.switches.has("list") ? listForgotten(call) : forgetOnce(call, requestOf(call));
    },
  },
  "retention apply": {
    summary: "apply the agent's retention policy now",
    details:
      "An agent gets the setting `retention` from the configuration when it is created; by default nothing is deleted.\n" +
      "Messages in a window and the newest revision of a module always stay. The policy also runs once a day.",
    flags: ["agent", "json"],
    async run(call) {
      const sweep = await (await call.runtime()).retention.apply(call.agent);
      return { json: sweep, text: sweepText(sweep) };
    },
  },
  "retention list": {
    summary: "list what retention deleted, newest first",
    flags: ["agent", "limit", "json"],
    async run(call) {
      const sweeps = await (await call.runtime()).retention.list(call.agent, limitFlag(call.line));
      return {
        json: sweeps,
        text: sweeps.length === 0 ? "Nothing was deleted yet." : sweeps.map(sweepText).join("\n"),
      };
    },
  },
  "node-memory prune": {
    usage: "--older-than AGE",
    summary: "delete node memories that were not written for a time",
    details:
      "Deletes those of this user in all applications. With --dry-run, only lists them.\n" +
      "Deleting a conversation also deletes its node memories.",
    flags: ["older-than", "dry-run", "json"],
    async run(call) {
      const ageMs = ageOf(call.line.texts["older-than"]);
      const dryRun = call.line.switches.has("dry-run");
      const { nodeMemory } = await call.runtime();
      const memories = await (dryRun ? nodeMemory.listUnused(ageMs) : nodeMemory.prune(ageMs));
      return { json: { dryRun, memories }, text: prunedText(memories, dryRun) };
    },
  },
});

function requestOf({ line, words }: CommandCall): ForgetRequest {
  const { message: messages = [], passage: passages = [] } = line.lists;
  if (words.length + messages.length + passages.length > 0)
    return { texts: words, messages, passages, exact: line.switches.has("exact") };
  throw new ConfigError(
    'Expected a text, --message or --passage, got none. Example: `palimpsest forget "my old address"`',
  );
}

async function listForgotten(call: CommandCall): Promise<Result> {
  const records = await (await call.runtime()).forget.list();
  const text = records.length === 0 ? "Nothing was forgotten yet." : records.map(forgettingText).join("\n");
  return { json: records, text };
}

async function forgetOnce(call: CommandCall, request: ForgetRequest): Promise<Result | number> {
  const runtime = await call.runtime();
  const preview = await runtime.forget.preview(request);
  if (call.line.switches.has("dry-run") || preview.places.length === 0)
    return { json: { ...preview, id: null }, text: previewText(preview) };
  if (!(await mayForget(call, preview))) return 1;
  const { dataDir } = await call.world.settings(settingsOf(call.line));
  const forgotten = await forgetWithInputs(runtime, dataDir).apply(request, { origin: "user" });
  const text = [`Removed from ${placesText(forgotten.places)}.`, ...forgotten.outOfReach].join("\n");
  return { json: { ...forgotten, similar: preview.similar }, text };
}

/** Returns whether the user confirms: by `--yes`, or by an answer in a terminal. Throws ConfigError if neither is possible. */
async function mayForget({ line, world }: CommandCall, preview: ForgetPreview): Promise<boolean> {
  if (line.switches.has("yes")) return true;
  const places = placesText(preview.places);
  if (!world.isTerminal)
    throw new ConfigError(
      `This would permanently remove the content from ${places}. To confirm, add --yes; to see the places, add --dry-run.`,
    );
  printText(world, previewText(preview));
  return confirm(world, `Remove it from ${places} for good?`);
}

/** Maximum characters of a similar message or passage in the preview, so that it fits on one line. */
const similarLength = 100;

/** Returns text about all places that contain the content, similar texts, and copies that a forgetting cannot reach. */
function previewText({ places, similar, outOfReach }: ForgetPreview): string {
  const found = places.length === 0 ? ["It was not found in any place."] : places.map(placeText);
  const meant = similar.map(
    ({ kind, id, text, at }) =>
      `  --${kind} ${id}  ${minute(at)}  ${clip(text.replaceAll(/\s+/gu, " "), similarLength)}`,
  );
  const near = meant.length === 0 ? [] : ["", "Similar, and not removed. To remove one, add its flag:", ...meant];
  return [...found, ...near, "", ...outOfReach].join("\n");
}

function placeText({ kind, id, effect, excerpt }: ForgottenPlace): string {
  return `${effect.padEnd(8)}  ${labelOf(kind, id)}${excerpt === null ? "" : `: ${excerpt}`}`;
}

function labelOf(kind: ForgottenPlace["kind"], id: string): string {
  return kind === "other" ? id : `${kind} ${id}`;
}

/** Returns `4 places: 2 message, 1 module, 1 summary`. */
function placesText(places: readonly ForgottenPlace[]): string {
  const counts: Record<string, number> = {};
  for (const { kind } of places) counts[kind] = (counts[kind] ?? 0) + 1;
  return `${places.length} ${places.length === 1 ? "place" : "places"}: ${countsText(counts)}`;
}

/** Returns `2026-11-21 10:13  by the user: 2 message, 1 module`. */
function forgettingText({ requestedAt, appliedAt, origin, counts }: ForgettingRecord): string {
  const by = { user: "by the user", api: "by a program", model: "by the model" }[origin];
  const what = appliedAt === null ? "waits for the end of a turn" : countsText(counts);
  return `${minute(requestedAt)}  ${by}: ${what}`;
}

function countsText(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count ?? 0} ${kind}`)
    .join(", ");
}

/** Returns `2026-11-21 10:13  12 messages (up to 2026-10-01 08:00), 0 revisions, 3 steps (up to …)` */
function sweepText({ at, dropped }: Sweep): string {
  const parts = Object.entries(dropped).map(([kind, { rows, through }]) => {
    // `through` means nothing for passages, which are evicted by importance, not by age.
    return through === null || kind === "passages" ? `${rows} ${kind}` : `${rows} ${kind} (up to ${minute(through)})`;
  });
  return `${minute(at)}  deleted ${parts.join(", ")}`;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of `30d`, `12h` or `90m`. Throws ConfigError when the flag is missing or malformed. */
function ageOf(text: string | undefined): number {
  if (text === undefined) throw new ConfigError("Missing --older-than AGE, such as 30d, 12h or 90m.");
  const [, number, unit] = /^(\d{1,6})([mhd])$/u.exec(text) ?? [];
  if (number !== undefined && unit !== undefined) return Number(number) * unitMs[unit]!;
  throw new ConfigError(
    `--older-than: expected a whole number of days, hours or minutes, such as 30d, 12h or 90m, got "${text}".`,
  );
}

function prunedText(found: readonly NodeMemorySummary[], dryRun: boolean): string {
  const lines = found.map(
    ({ app, conversation, node, messages, updatedAt }) =>
      `${app}/${conversation}/${node}  ${messages} messages  last written ${updatedAt.toISOString()}`,
  );
  const [memories, were] = found.length === 1 ? ["node memory", "was"] : ["node memories", "were"];
  return [...lines, `${found.length} ${memories} ${dryRun ? "would be" : were} deleted.`].join("\n");
}
