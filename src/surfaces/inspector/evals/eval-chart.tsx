// The figure of each category as bars, one for each report, with a line from the lowest to the highest run.
import { PlainText } from "../parts/plain-text.tsx";
import { evalBars } from "./eval-figures.ts";
import type { NamedReport } from "./opened-report.ts";

interface EvalChartProps {
  readonly reports: readonly NamedReport[];
  readonly hasModel: boolean;
}

export function EvalChart({ reports, hasModel }: EvalChartProps) {
  const rows = evalBars(reports.map(({ report }) => report));
  return (
    <>
      <h3>{hasModel ? "Score" : "Recall@10"} by category</h3>
      <dl class="scores eval-bars" aria-label={`${hasModel ? "Score" : "Recall@10"} by category`}>
        {rows.map(({ category, bars }) => (
          <div key={category}>
            <dt>
              <PlainText text={category} length={60} isInline />
            </dt>
            {bars.length === 0 ? <dd class="note">not measured</dd> : null}
            {bars.map(({ report, value, range, text }) => (
              <dd key={report}>
                <span class="off-screen">
                  <PlainText text={reports[report]?.name ?? ""} length={60} isInline />
                </span>
                <span class="bar-frame">
                  <span class={`bar series-${report % 6}`} style={{ width: `${value * 100}%` }} />
                  {range === null ? null : (
                    <span
                      class="spread"
                      style={{ left: `${range[0] * 100}%`, width: `${(range[1] - range[0]) * 100}%` }}
                    />
                  )}
                </span>
                <span class="note">{text}</span>
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </>
  );
}
