// The revisions of a module, newest first, each with its difference and its undo.
import { useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { CauseDialog } from "./cause-dialog.tsx";
import { authorText, type Revision } from "./revision-author.ts";

interface RevisionListProps {
  readonly agent: string;
  readonly revisions: readonly Revision[];
  readonly chosen: number | null;
  readonly onChange: () => void;
}

export function RevisionList({ agent, revisions, chosen, onChange }: RevisionListProps) {
  if (revisions.length === 0) return <p class="note">It was not changed since it was created.</p>;
  return (
    <ol class="timeline" aria-label="Revisions">
      {revisions.map((revision, at) => (
        <RevisionItem
          key={revision.revision}
          agent={agent}
          revision={revision}
          isOpenAtFirst={chosen === null ? at === 0 : revision.revision === chosen}
          onChange={onChange}
        />
      ))}
    </ol>
  );
}

interface RevisionItemProps {
  readonly agent: string;
  readonly revision: Revision;
  readonly isOpenAtFirst: boolean;
  readonly onChange: () => void;
}

function RevisionItem({ agent, revision, isOpenAtFirst, onChange }: RevisionItemProps) {
  const { client } = useSession();
  const undo = useAction();
  const [isCauseOpen, setCauseOpen] = useState(false);
  const { label, revision: number } = revision;
  const revert = (force: boolean) =>
    undo.run(async () => {
      await client.call("POST /agents/:agent/undo", { params: { agent }, body: { label, revision: number, force } });
      onChange();
    });
  const hasDependents = undo.error instanceof ApiError && undo.error.code === "dependent_edits";
  return (
    <li>
      <details open={isOpenAtFirst}>
        <summary data-item>
          <strong>{number}</strong> <Moment at={revision.at} /> by{" "}
          <PlainText text={authorText(revision)} length={100} isInline /> <TrustMark trust={revision.trust} />
        </summary>
        <DiffView before={revision.before} after={revision.after} />
        <Failure error={undo.error} />
        <div class="actions">
          <button type="button" onClick={() => setCauseOpen(true)}>
            Why
          </button>
          <button type="button" disabled={undo.isRunning} onClick={() => revert(false)}>
            Undo
          </button>
          {hasDependents ? (
            <button type="button" class="danger" disabled={undo.isRunning} onClick={() => revert(true)}>
              Undo with the later edits
            </button>
          ) : null}
        </div>
      </details>
      {isCauseOpen ? (
        <CauseDialog agent={agent} label={label} revision={number} onClose={() => setCauseOpen(false)} />
      ) : null}
    </li>
  );
}
