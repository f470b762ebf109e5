// The windows of model calls over time: a column for each, to scale, with the part that the provider had cached.
import type { ContextReport } from "../../../store/port/context-report.ts";
import { numberText } from "../parts/number-text.ts";
import { cachedShare, segmentsOf } from "./window-segments.ts";
import type { WindowStep } from "./window-step.ts";

interface StepChartProps {
  /** Oldest first. */
  readonly steps: readonly WindowStep[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

const height = 120;
const columnWidth = 10;

export function StepChart({ steps, chosen, onChoose }: StepChartProps) {
  const width = Math.max(1, steps.length) * columnWidth;
  return (
    <svg
      class="step-chart"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The windows of ${steps.length} model calls, oldest first`}
    >
      {steps.map((step, at) => (
        <Column key={step.id} step={step} x={at * columnWidth} isChosen={step.id === chosen} onChoose={onChoose} />
      ))}
    </svg>
  );
}

interface ColumnProps {
  readonly step: WindowStep;
  readonly x: number;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

function Column({ step, x, isChosen, onChoose }: ColumnProps) {
  const report = step.report as unknown as ContextReport;
  const cached = cachedShare(step.usage);
  let y = height;
  const bars = segmentsOf(report)
    .filter(({ part }) => part !== "free" && part !== "reply")
    .map(({ part, share }) => {
      y -= share * height;
      return <rect key={part} class={`part-${part}`} x={x + 1} y={y} width={columnWidth - 2} height={share * height} />;
    });
  const text = `Step ${step.ordinal}: ${numberText(report.total)} of ${numberText(report.window)} tokens`;
  return (
    <g class={isChosen ? "column chosen" : "column"} onClick={() => onChoose(step.id)}>
      <title>{text}</title>
      <rect class="column-back" x={x} y={0} width={columnWidth} height={height} />
      {bars}
      {cached === null ? null : (
        <rect class="cached-line" x={x} y={height - cached * (height - y)} width={columnWidth} height={1.5} />
      )}
    </g>
  );
}
