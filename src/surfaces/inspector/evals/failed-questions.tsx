// The questions of an evaluation that failed, with what was answered.
import type { EvalReport } from "../../eval/report.ts";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { failedQuestions } from "./eval-figures.ts";
import { VirtualList } from "../parts/virtual-list.tsx";

interface FailedQuestionsProps {
  readonly name: string;
  readonly report: EvalReport;
}

export function FailedQuestions({ name, report }: FailedQuestionsProps) {
  const failed = failedQuestions(report).map((each, at) => ({ ...each, key: String(at) }));
  return (
    <details>
      <summary>
        {countText(failed.length, "question")} of <PlainText text={name} length={60} isInline /> failed
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
