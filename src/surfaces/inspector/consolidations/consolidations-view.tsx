// Lists the runs that propose how to tidy memory. The user applies, rejects or undoes each operation, a diff with quotes.
// Invariant: an operation is shown before it can be applied.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText, dollarText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useCall } from "../session/use-loaded.ts";

type Run = CallResult<"GET /agents/:agent/consolidations">[number];
type Operation = Run["operations"][number];

/** Maximum number of runs that are shown. */
const limit = 50;

export function ConsolidationsView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const action = useAction();
  const [isQuiet, setQuiet] = useState(false);
  const runs = useCall("GET /agents/:agent/consolidations", { params: { agent }, query: { limit } });
  const consolidate = () =>
    action.run(async () => {
      setQuiet((await client.call("POST /agents/:agent/consolidations", { params: { agent }, body: {} })) === null);
      runs.reload();
    });
  return (
    <>
      <div class="title-row">
        <h1>Consolidations</h1>
        <button type="button" class="main" disabled={action.isRunning} onClick={consolidate}>
          {action.isRunning ? "The model reads…" : "Tidy now"}
        </button>
      </div>
      <Failure error={action.error} />
      {isQuiet ? <p role="status">Nothing calls for a consolidation: no model was called.</p> : null}
      <Shown loaded={runs}>
        {(found) => (
          <>
            {found.length === 0 ? (
              <div class="empty">
                <p>Memory was never consolidated.</p>
                <p>A model proposes how to tidy it, and code checks each operation. Nothing is deleted.</p>
              </div>
            ) : null}
            <ul class="list runs" aria-label="Runs">
              {found.map((run) => (
                <RunCard key={run.id} run={run} onChange={runs.reload} />
              ))}
            </ul>
          </>
        )}
      </Shown>
    </>
  );
}

interface RunCardProps {
  readonly run: Run;
  readonly onChange: () => void;
}

function RunCard({ run, onChange }: RunCardProps) {
  const { client } = useSession();
  const { isRunning, error, run: act } = useAction();
  const { id, status, operations, reason, model, usage, dollars, createdAt } = run;
  const review = (verb: "apply" | "reject" | "undo", numbers?: readonly number[]) =>
    act(async () => {
      const body = numbers === undefined ? {} : { operations: numbers };
      await client.call(`POST /consolidations/:consolidation/${verb}`, { params: { consolidation: id }, body });
    }).then(onChange);
  const waiting = operations.filter((operation) => operation.status === "proposed").length;
  const isApplied = operations.some((operation) => operation.status === "applied");
  const cost = dollars === null ? "" : `, ${dollarText(dollars)}`;
  return (
    <li class="card" data-item tabIndex={-1}>
      <h2>
        <Moment at={createdAt} /> <span class={waiting === 0 ? "mark" : "mark warn"}>{status}</span>
      </h2>
      <p class="note">
        <PlainText text={model} length={100} isInline />, {countText(usage.inputTokens + usage.outputTokens, "token")}
        {cost}
      </p>
      {reason === null ? null : <PlainText text={reason} length={1000} />}
      {operations.length === 0 && status !== "failed" && status !== "running" ? (
        <p>The model proposed nothing.</p>
      ) : null}
      <ol class="operations" aria-label="Operations">
        {operations.map((operation, at) => (
          <OperationItem key={at} operation={operation}>
            {operation.status === "proposed" ? (
              <div class="actions">
                <ReviewButtons
                  which={waiting === 1 ? "it" : String(at + 1)}
                  isRunning={isRunning}
                  review={(verb) => review(verb, [at + 1])}
                  isMain={waiting === 1}
                />
              </div>
            ) : null}
          </OperationItem>
        ))}
      </ol>
      <Failure error={error} />
      <div class="actions">
        {waiting < 2 ? null : <ReviewButtons which={`all ${waiting}`} isRunning={isRunning} review={review} isMain />}
        {isApplied ? (
          <button type="button" class="quiet" disabled={isRunning} onClick={() => review("undo")}>
            <Icon name="undo" /> Undo the run
          </button>
        ) : null}
      </div>
    </li>
  );
}

interface ReviewButtonsProps {
  /** The end of the buttons' texts: which operations the buttons apply or reject. */
  readonly which: string;
  readonly isRunning: boolean;
  readonly review: (verb: "apply" | "reject") => void;
  /** Whether the buttons apply or reject all waiting operations. Default false. */
  readonly isMain?: boolean;
}

function ReviewButtons({ which, isRunning, review, isMain }: ReviewButtonsProps) {
  return (
    <>
      <button type="button" class={isMain === true ? "main" : ""} disabled={isRunning} onClick={() => review("apply")}>
        Apply {which}
      </button>
      <button type="button" disabled={isRunning} onClick={() => review("reject")}>
        Reject {which}
      </button>
    </>
  );
}

interface OperationItemProps {
  readonly operation: Operation;
  readonly children: ComponentChildren;
}

const operationMarks: Readonly<Partial<Record<Operation["status"], string>>> = {
  proposed: "mark warn",
  applied: "mark good",
};

function OperationItem({ operation, children }: OperationItemProps) {
  const { kind, status, targets, texts, module, evidence, reason, why, trust, needsReview } = operation;
  const place = targets[0]?.kind === "line" ? targets[0].id : (module ?? "archive");
  return (
    <li>
      <p>
        <strong>{kind}</strong> in <PlainText text={place} length={100} isInline />{" "}
        <span class={operationMarks[status] ?? "mark"}>{status}</span>
        <TrustMark trust={trust} />
        {needsReview && status === "proposed" ? <span class="mark warn">needs review</span> : null}
      </p>
      {why === null ? null : <p>Dropped: {why}.</p>}
      <DiffView before={targets.map(({ text }) => text).join("\n")} after={texts.join("\n")} />
      {evidence.map(({ kind: row, quote }, at) => (
        <blockquote key={at}>
          <PlainText text={quote} length={500} />
          <span class="note">from a {row}</span>
        </blockquote>
      ))}
      <p class="note">
        <PlainText text={reason} length={1000} isInline />
      </p>
      {children}
    </li>
  );
}
