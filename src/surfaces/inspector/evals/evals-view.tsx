// Shows reports of evaluations side by side, from files that the user opens. The files are not sent to the server.
import { useState } from "preact/hooks";
import type { EvalReport } from "../../eval/report.ts";
import { countText } from "../parts/number-text.ts";
import { FileChoice } from "../parts/file-choice.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { shade } from "../parts/shade.ts";
import { Table } from "../parts/table.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { fileFault } from "../session/error-text.ts";
import { evalBars, evalColumns, failedQuestions } from "./eval-figures.ts";
import { type NamedReport, openedReport } from "./opened-report.ts";

interface Opened {
  readonly reports: readonly NamedReport[];
  readonly faults: readonly string[];
}

export function EvalsView() {
  const { reports, faults, open, close } = useReports();
  return (
    <>
      <div class="title-row">
        <h1>Evaluations</h1>
        <FileChoice label="Reports" onChoose={open} />
      </div>
      {reports.length > 0 ? null : (
        <div class="empty">
          <p>
            Open the files <code>report.json</code> that <code>palimpsest eval --out FOLDER</code> writes, to compare
            them. They are read in this tab and sent nowhere.
          </p>
        </div>
      )}
      {faults.map((fault) => (
        <div key={fault} class="failure" role="alert">
          <PlainText text={fault} length={1000} />
        </div>
      ))}
      {[false, true].map((hasModel) => (
        <ReportGroup
          key={String(hasModel)}
          reports={reports.filter(({ report }) => (report.models !== null) === hasModel)}
          hasModel={hasModel}
          onClose={close}
        />
      ))}
    </>
  );
}

function useReports() {
  const [opened, setOpened] = useState<Opened>({ reports: [], faults: [] });
  return {
    ...opened,
    async open(files: readonly File[]): Promise<void> {
      const read = await Promise.all(files.map(async (file) => ({ name: file.name, ...(await readReport(file)) })));
      setOpened((known) => ({
        reports: [...known.reports, ...read.flatMap(({ name, report }) => (report === null ? [] : [{ name, report }]))],
        faults: read.flatMap(({ name, fault }) => (fault === null ? [] : [`${name}: ${fault}`])),
      }));
    },
    close(report: NamedReport): void {
      setOpened((known) => ({ ...known, reports: known.reports.filter((each) => each !== report) }));
    },
  };
}

function ReportGroup({ reports, hasModel, onClose }: ReportTableProps) {
  if (reports.length === 0) return null;
  return (
    <section aria-label={hasModel ? "Answers of models" : "Searches"}>
      <h2>{hasModel ? "Answers of models" : "Searches, without a model"}</h2>
      <ReportTable reports={reports} hasModel={hasModel} onClose={onClose} />
      <EvalChart reports={reports} hasModel={hasModel} />
      {reports.map(({ name, report }, at) => (
        <FailedQuestions key={at} name={name} report={report} />
      ))}
    </section>
  );
}

async function readReport(file: File): Promise<ReturnType<typeof openedReport>> {
  try {
    return openedReport(await file.text());
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return { report: null, fault: fileFault(error) };
  }
}

interface ReportTableProps {
  readonly reports: readonly NamedReport[];
  readonly hasModel: boolean;
  readonly onClose: (report: NamedReport) => void;
}

function ReportTable({ reports, hasModel, onClose }: ReportTableProps) {
  const columns = evalColumns(hasModel);
  return (
    <Table
      label="Figures of the reports"
      head={
        <>
          <th>Report</th>
          {columns.map(({ title }) => (
            <th key={title} class="number">
              {title}
            </th>
          ))}
          <th>
            <span class="off-screen">Close</span>
          </th>
        </>
      }
    >
      {reports.map((each, at) => (
        <tr key={at}>
          <td class="report-name">
            <span class="swatch shade" style={shade(`shade-${(at % 6) + 1}`)} />{" "}
            <PlainText text={each.name} length={60} isInline />
            <ReportFacts report={each.report} />
          </td>
          {columns.map(({ title, text }) => (
            <td key={title} class="number">
              {text(each.report.total)}
            </td>
          ))}
          <td>
            <button type="button" class="quiet" onClick={() => onClose(each)}>
              Close
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ReportFacts({ report: { version, models, runs } }: { readonly report: EvalReport }) {
  return (
    <span class="note block">
      version <PlainText text={version} length={40} isInline />
      {models === null ? null : (
        <>
          , <PlainText text={models.answers} length={60} isInline />, judged by{" "}
          <PlainText text={models.judges} length={60} isInline />, {countText(runs, "run")}
        </>
      )}
    </span>
  );
}

/** Shows the figure of each category as a bar for each report, with a line from the lowest to the highest run. */
function EvalChart({ reports, hasModel }: { readonly reports: readonly NamedReport[]; readonly hasModel: boolean }) {
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
                  <span class="bar shade" style={{ width: `${value * 100}%`, ...shade(`shade-${(report % 6) + 1}`) }} />
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

function FailedQuestions({ name, report }: { readonly name: string; readonly report: EvalReport }) {
  const failed = failedQuestions(report).map((each, at) => ({ ...each, key: String(at) }));
  return (
    <details>
      <summary>
        {countText(failed.length, report.models === null ? "question" : "answer")} of{" "}
        <PlainText text={name} length={60} isInline /> failed
      </summary>
      {failed.length === 0 ? null : (
        <VirtualList label="Questions that failed" items={failed} keyOf={({ key }) => key} estimate={70}>
          {({ result: { question, category, set, run, answer }, reason }) => (
            <article class="message" tabIndex={-1} data-item>
              <PlainText text={question} length={1000} />
              {typeof answer === "string" ? (
                <blockquote>
                  <PlainText text={answer} length={2000} />
                </blockquote>
              ) : null}
              <p class="note">
                <span class="mark">{reason}</span> <PlainText text={`${set}, ${category}`} length={120} isInline />
                {report.runs > 1 ? `, run ${run + 1}` : ""}
              </p>
            </article>
          )}
        </VirtualList>
      )}
    </details>
  );
}
