// Shows a window: its segments, their tokens by tier, what was left out and why, and the text of the chosen part.
import { useState } from "preact/hooks";
import { largest } from "../../../base/lists.ts";
import { hiddenText, omissionText } from "../../../base/window-words.ts";
import type { ContextReport } from "../../../store/port/context-report.ts";
import { type ChartColumn, ColumnChart } from "../parts/column-chart.tsx";
import { Moment } from "../parts/moment.tsx";
import { numberText, percentText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { shade } from "../parts/shade.ts";
import { Table } from "../parts/table.tsx";
import { PartText, type PartTextProps } from "./part-text.tsx";
import { cachedShare, type Segment, segmentNames, segmentsOf } from "./window-segments.ts";
import { reportOf, type WindowStep } from "./window-step.ts";

export function StepDetail({ agent, conversation, step, now }: Omit<PartTextProps, "part">) {
  const report = reportOf(step ?? now);
  const segments = segmentsOf(report);
  const [wanted, setWanted] = useState<Segment["part"]>("turn");
  const part = segments.find((each) => each.part === wanted)?.part ?? firstPart(segments);
  return (
    <section aria-label={step === null ? "The window now" : `Step ${step.ordinal}`}>
      <h2>{step === null ? "Now" : `Step ${step.ordinal}`}</h2>
      <p class="note">
        {numberText(report.total)} of {numberText(report.window)} tokens, {percentText(report.total / report.window)}
        {step === null ? ": what the model would receive with the next message" : null}
      </p>
      {step === null ? null : <CallFacts step={step} />}
      <WindowBar segments={segments} chosen={part} onChoose={setWanted} />
      <Omissions report={report} />
      <div class="window-parts">
        <PartTable report={report} segments={segments} chosen={part} onChoose={setWanted} />
        {part === undefined ? null : (
          <PartText
            key={`${part} ${step?.id ?? ""}`}
            agent={agent}
            conversation={conversation}
            part={part}
            step={step}
            now={now}
          />
        )}
      </div>
    </section>
  );
}

/** Returns the part to show if the window does not have the chosen part: the last turns, or else the first part. */
function firstPart(segments: readonly Segment[]): Segment["part"] | undefined {
  return (segments.find(({ part }) => part === "recentTurns") ?? segments[0])?.part;
}

/** Shows what the provider reported about a model call. */
function CallFacts({ step }: { readonly step: WindowStep }) {
  const { usage, model, finish, at } = step;
  const cached = cachedShare(usage);
  const input = Number(usage["inputTokens"] ?? 0);
  const cachedTokens = Number(usage["cachedInputTokens"] ?? 0);
  return (
    <>
      <p class="note">
        <PlainText text={model} length={100} isInline />, <Moment at={at} />, ended with{" "}
        <PlainText text={finish} length={60} isInline />, {numberText(Number(usage["outputTokens"] ?? 0))} tokens out
        {typeof usage["cacheMiss"] === "string" ? (
          <>
            , cache: <PlainText text={usage["cacheMiss"]} length={60} isInline />
          </>
        ) : null}
        {usage["droppedThoughts"] === undefined
          ? ""
          : `, thoughts not accepted: ${numberText(Number(usage["droppedThoughts"]))}`}
      </p>
      {cached === null ? null : (
        <div
          class="cached-bar"
          role="img"
          aria-label={`${numberText(cachedTokens)} tokens from the cache, ${numberText(input - cachedTokens)} new`}
        >
          <span class="cached" style={{ flexGrow: cached * 1000 }}>
            {cached > 0.15 ? `${numberText(cachedTokens)} from the cache` : ""}
          </span>
          <span class="fresh" style={{ flexGrow: (1 - cached) * 1000 }}>
            {cached < 0.85 ? `${numberText(input - cachedTokens)} new` : ""}
          </span>
        </div>
      )}
    </>
  );
}

function Omissions({ report: { leftOut, compacted, overflow } }: { readonly report: ContextReport }) {
  const texts = [
    ...(overflow === null
      ? []
      : [
          `No request was possible: ${segmentNames[overflow.part]} alone has ${numberText(overflow.tokens)} tokens, with ${numberText(overflow.budget)} left for it.`,
        ]),
    ...leftOut.map((omission) => `Left out: ${omissionText(omission)}`),
    ...(compacted.messages === 0 ? [] : [hiddenText(compacted)]),
  ];
  if (texts.length === 0) return <p class="note">Nothing was left out.</p>;
  return (
    <ul class="plain" aria-label="Left out">
      {texts.map((text) => (
        <li key={text}>
          <PlainText text={text} length={500} isInline />
        </li>
      ))}
    </ul>
  );
}

interface PartTableProps extends PartChoice {
  readonly report: ContextReport;
}

/** Lists the parts, each of which can be chosen by its row. */
function PartTable({ report, segments, chosen, onChoose }: PartTableProps) {
  return (
    <Table
      label="Tokens by part"
      head={
        <>
          <th>Part</th>
          <th>Tier</th>
          <th class="number">Tokens</th>
          <th class="number">Share</th>
        </>
      }
    >
      {segments.map(({ part, tier, tokens, share }) => (
        <tr key={part} class="part-row">
          <td>
            <button type="button" aria-pressed={part === chosen} data-item onClick={() => onChoose(part)}>
              <span class="swatch shade" style={shade(`part-${part}`)} /> {segmentNames[part]}
            </button>
          </td>
          <td>{tier === null ? "" : tierText(tier, report)}</td>
          <td class="number">{numberText(tokens)}</td>
          <td class="number">{percentText(share)}</td>
        </tr>
      ))}
    </Table>
  );
}

function tierText(tier: "system" | "working" | "archive", { tiers }: ContextReport): string {
  const { tokens, granted } = tiers[tier];
  return tokens > granted ? `${tier}, over its share of ${numberText(granted)}` : tier;
}

interface PartChoice {
  readonly segments: readonly Segment[];
  /** Undefined only if there are no parts. */
  readonly chosen: Segment["part"] | undefined;
  readonly onChoose: (part: Segment["part"]) => void;
}

/** Shows a window to scale, as a row of segments that can be chosen. */
function WindowBar({ segments, chosen, onChoose }: PartChoice) {
  return (
    <div class="window-bar" role="group" aria-label="The window to scale">
      {segments.map(({ part, tier, tokens, share }) => (
        <button
          key={part}
          type="button"
          class={tier === null ? "segment shade note" : "segment shade"}
          style={{ flexGrow: share * 1000, ...shade(`part-${part}`) }}
          aria-pressed={part === chosen}
          aria-label={`${segmentNames[part]}: ${numberText(tokens)} tokens, ${percentText(share)}`}
          title={`${segmentNames[part]}: ${numberText(tokens)} tokens, ${percentText(share)}`}
          onClick={() => onChoose(part)}
        >
          {share > 0.08 ? segmentNames[part] : ""}
        </button>
      ))}
    </div>
  );
}

interface StepChartProps {
  /** The model calls, oldest first. */
  readonly steps: readonly WindowStep[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

/** Shows the windows of model calls over time: a column for each call, to scale, with the share that was cached. */
export function StepChart({ steps, chosen, onChoose }: StepChartProps) {
  const columns = steps.map((step) => {
    const report = reportOf(step);
    const cached = cachedShare(step.usage);
    const mark = cached === null || cached === 0 ? null : cached * report.total;
    return {
      key: step.id,
      text: `Step ${step.ordinal}: ${numberText(report.total)} of ${numberText(report.window)} tokens${mark === null ? "" : `, ${percentText(cached ?? 0)} of them cached`}`,
      bars: segmentsOf(report)
        .filter(({ part }) => part !== "free" && part !== "reply")
        .map(({ part, tokens }) => ({ name: `part-${part}`, value: tokens })),
      mark,
    };
  });
  const sizes = steps.map(reportOf);
  const [first, last] = [steps[0]?.ordinal, steps.at(-1)?.ordinal];
  return (
    <ColumnChart
      label={`The windows of ${steps.length} model calls, oldest first`}
      columns={columns}
      most={largest(
        sizes.map(({ window, total }) => Math.max(window, total)),
        1,
      )}
      ends={[`step ${first}`, `step ${last}`]}
      note={
        <>
          Tokens of {steps.length} model calls; ← and → go through them. Parts:
          {partsOf(columns).map(([name, part], at, { length }) => (
            <span key={part}>
              {" "}
              <span class="swatch shade" style={shade(part)} /> {name}
              {at < length - 1 ? "," : ""}
            </span>
          ))}
        </>
      }
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}

/** Returns the parts that columns contain, in the order of the request: the name of each part and the name of its colour. */
function partsOf(columns: readonly ChartColumn[]): readonly (readonly [name: string, shade: string])[] {
  const drawn = new Set(columns.flatMap(({ bars }) => bars.map(({ name }) => name)));
  return Object.entries(segmentNames).flatMap(([part, name]) =>
    drawn.has(`part-${part}`) ? [[name, `part-${part}`] as const] : [],
  );
}
