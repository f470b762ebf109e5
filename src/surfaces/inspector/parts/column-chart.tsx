// Draws a chart of columns over time. Pointing at a column, or choosing it with the arrow keys, shows its values below.
// Invariant: every value that the chart draws can be read as text.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { shade } from "./shade.ts";
import { shortNumber } from "./number-text.ts";

export interface ChartColumn {
  readonly key: string;
  /** The name and the values of the column, as text. */
  readonly text: string;
  /** The parts of the column, from the bottom. */
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  /** A value that a line across the column marks; null for none. */
  readonly mark?: number | null;
}

interface ColumnChartProps {
  readonly label: string;
  readonly columns: readonly ChartColumn[];
  /** The value at the top of the axis. */
  readonly most: number;
  /** The names of the first and the last column. */
  readonly ends: readonly [string, string];
  /** Shown below the chart while the values of no column are shown. */
  readonly note: ComponentChildren;
  readonly chosen?: string | null;
  readonly onChoose?: (key: string) => void;
}

const height = 120;
const width = 12;
/** The chart is at least as wide as this many columns, so that a few columns are not drawn too broad. */
const minColumns = 24;

export function ColumnChart({ label, columns, most, ends, note, chosen = null, onChoose }: ColumnChartProps) {
  const [shown, setShown] = useState<number | null>(null);
  const all = Math.max(minColumns, columns.length) * width;
  const move = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (by !== 0) setShown(Math.min(columns.length - 1, Math.max(0, (shown ?? (by < 0 ? columns.length : -1)) + by)));
  };
  return (
    <figure class="chart">
      <div class="chart-area">
        <div class="axis" aria-hidden="true">
          {[1, 0.5, 0].map((share) => (
            <span key={share}>{shortNumber(most * share)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${all} ${height}`}
          preserveAspectRatio="none"
          role="img"
          tabIndex={0}
          aria-label={label}
          onKeyDown={onChoose === undefined ? move : undefined}
          onPointerLeave={() => setShown(null)}
          onBlur={() => setShown(null)}
        >
          {[0.5, height / 2, height - 0.5].map((y) => (
            <line key={y} class="grid-line" x2={all} y1={y} y2={y} />
          ))}
          {columns.map((column, at) => (
            <Column
              key={column.key}
              column={column}
              x={at * width}
              scale={height / most}
              state={column.key === chosen ? "chosen" : at === shown ? "shown" : ""}
              onPointer={() => setShown(at)}
              onChoose={() => onChoose?.(column.key)}
            />
          ))}
        </svg>
        <div class="axis across" style={{ width: `${(100 * columns.length * width) / all}%` }}>
          {ends[0] === ends[1] ? <span>{ends[0]}</span> : ends.map((end) => <span key={end}>{end}</span>)}
        </div>
      </div>
      <figcaption class="note legend" aria-live="polite">
        {shown === null ? note : columns[shown]?.text}
      </figcaption>
    </figure>
  );
}

interface ColumnProps {
  readonly column: ChartColumn;
  readonly x: number;
  /** Height of a value of 1, in units of the drawing. */
  readonly scale: number;
  readonly state: string;
  readonly onPointer: () => void;
  readonly onChoose: () => void;
}

function Column({ column: { bars, mark = null }, x, scale, state, onPointer, onChoose }: ColumnProps) {
  let y = height;
  return (
    <g class={`column ${state}`} onPointerEnter={onPointer} onClick={onChoose}>
      <rect class="column-back" x={x} y={0} width={width} height={height} />
      {bars.map(({ name, value }) => {
        y -= value * scale;
        return (
          <rect key={name} class="shade" style={shade(name)} x={x + 1} y={y} width={width - 2} height={value * scale} />
        );
      })}
      {mark === null ? null : <rect class="cached-line" x={x} y={height - mark * scale} width={width} height={1.5} />}
    </g>
  );
}
