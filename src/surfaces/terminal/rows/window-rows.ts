// Renders the report of the window: a bar over the full width, a line per tier, the omissions, and the last model calls.
// Invariant: pure, and no row is wider than the width; without colour, the tiers differ by their signs.
import { largest } from "../../../base/lists.ts";
import {
  cachedPercent,
  hiddenText,
  numberText,
  omissionText,
  partTexts,
  windowSourceText,
} from "../../../base/window-words.ts";
import { type Row, type Span, span, type Tone } from "./row.ts";
import type { LoggedStep, WindowReport } from "../runtime-records.ts";
import { tokensLabel } from "./labels.ts";
import { truncateRow, wrapSpans } from "./wrap.ts";

interface Kind {
  readonly sign: string;
  readonly tone: Tone;
}

const kinds = {
  system: { sign: "█", tone: "accent" },
  working: { sign: "▓", tone: "added" },
  archive: { sign: "▒", tone: "code" },
  free: { sign: "·", tone: "faint" },
  reply: { sign: "░", tone: "faint" },
} as const satisfies Readonly<Record<string, Kind>>;

/** Renders the report and the model calls. `steps`: newest first. */
export function windowRows(report: WindowReport, steps: readonly LoggedStep[], width: number): readonly Row[] {
  const { total, window, reserve, tiers, layout, windowFrom } = report;
  const percent = Math.round((100 * total) / window);
  const free = Math.max(0, window - reserve - total);
  const sizes = {
    system: tiers.system.tokens,
    working: tiers.working.tokens,
    archive: tiers.archive.tokens,
    free,
    reply: reserve,
  };
  const source = windowSourceText(windowFrom);
  const size = source === "" ? "" : ` · size ${source}`;
  const head = [
    span("Window ", "strong"),
    span(`${numberText(total)} of ${numberText(window)} tokens, ${percent}% · layout ${layout}${size}`, "faint"),
  ];
  return [
    ...wrapSpans(head, { width }),
    barRow(sizes, window, width),
    ...Object.entries(sizes).flatMap(([name, size]) => tierRows(name as keyof typeof kinds, { size, report }, width)),
    ...noteRows(report, width),
    ...stepRows(steps, width),
  ];
}

/** Renders the bar. Each tier has its share of the columns, and at least one column if it is not empty. */
function barRow(sizes: Readonly<Record<keyof typeof kinds, number>>, window: number, width: number): Row {
  const names = Object.keys(sizes) as (keyof typeof kinds)[];
  const columns = names.map((name) =>
    sizes[name] === 0 ? 0 : Math.max(1, Math.floor((sizes[name] / window) * width)),
  );
  const used = columns.reduce((sum, each) => sum + each, 0);
  const widest = columns.indexOf(largest(columns));
  return names.flatMap((name, at) => {
    const length = Math.max(0, (columns[at] ?? 0) + (at === widest ? width - used : 0));
    return length === 0 ? [] : [span(kinds[name].sign.repeat(length), kinds[name].tone)];
  });
}

function tierRows(
  name: keyof typeof kinds,
  { size, report }: { readonly size: number; readonly report: WindowReport },
  width: number,
): readonly Row[] {
  const { sign, tone } = kinds[name];
  const lead = [
    span(`${sign} `, tone),
    span(name.padEnd(8), "strong"),
    span(numberText(size).padStart(8), "plain"),
    span("  "),
  ];
  // On a screen narrower than the figures, the rows are cut.
  return wrapSpans(detailsOf(name, report), { width, lead }).map((row) => truncateRow(row, width));
}

function detailsOf(name: keyof typeof kinds, report: WindowReport): readonly Span[] {
  if (name === "free") return [span("", "faint")];
  if (name === "reply") return [span("reserved for the reply", "faint")];
  const { tokens: size, granted, parts } = report.tiers[name];
  const named = partTexts(parts);
  const over =
    size > granted
      ? [span(`${named.length === 0 ? "" : " · "}over its share of ${numberText(granted)}`, "warning")]
      : [];
  return [span(named.join(" · "), "faint"), ...over];
}

function noteRows({ leftOut, compacted, factor, counted }: WindowReport, width: number): readonly Row[] {
  const hidden = compacted.messages === 0 ? [] : [`${hiddenText(compacted)}.`];
  const calibrated =
    factor === 1
      ? []
      : [
          `Counted ${numberText(counted)} tokens, times ${factor.toFixed(2)}, calibrated by the usage of the last calls.`,
        ];
  const left = leftOut.map((omission) => `Left out: ${omissionText(omission)}.`);
  return [
    ...[...hidden, ...calibrated].flatMap((text) => wrapSpans([span(text, "faint")], { width })),
    ...left.flatMap((text) => wrapSpans([span(text, "warning")], { width })),
  ];
}

const levels = "▁▂▃▄▅▆▇█";

/** Renders the calls from oldest to newest as bars of their tokens, and the usage of the newest one. */
function stepRows(steps: readonly LoggedStep[], width: number): readonly Row[] {
  const [last] = steps;
  if (last === undefined) return [truncateRow([span("No model call was made yet.", "faint")], width)];
  const room = Math.max(1, width - 30);
  const line = steps
    .slice(0, room)
    .toReversed()
    .map(
      ({ report }) => levels[Math.min(levels.length - 1, Math.floor((report.total / report.window) * levels.length))],
    )
    .join("");
  const { inputTokens, outputTokens } = last.usage;
  const billed = `Step ${last.ordinal}: ${numberText(inputTokens)} tokens in (estimated ${numberText(last.report.total)}), ${cachedPercent(last.usage)}% of them cached, ${numberText(outputTokens)} out.`;
  const history = [
    span("last calls ", "faint"),
    span(line, "accent"),
    span(` ${tokensLabel(last.report.total)} at step ${last.ordinal}`, "faint"),
  ];
  return [truncateRow(history, width), ...wrapSpans([span(billed, "faint")], { width })];
}
