// Lists the revisions of a module, newest first. Each shows its difference, and can be undone.
import { changedRows } from "../parts/align-lines.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { WhyButton } from "../parts/why-button.tsx";
import { CauseDialog } from "./cause-dialog.tsx";
import { authorText, isForgetting, type Revision } from "./revision-author.ts";
import { UndoButtons } from "./undo-buttons.tsx";

interface RevisionListProps {
  readonly agent: string;
  readonly revisions: readonly Revision[];
  readonly chosen: number | null;
  readonly onChange: () => void;
}

export function RevisionList({ agent, revisions, chosen, onChange }: RevisionListProps) {
  if (revisions.length === 0) return <p class="note">The module was not changed since it was created.</p>;
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
  const { label, revision: number } = revision;
  return (
    <li>
      <details open={isOpenAtFirst}>
        <summary data-item>
          <strong>{number}</strong> <PlainText text={beginningOfChange(revision)} length={60} isInline />{" "}
          <span class="note">
            <Moment at={revision.at} /> by <PlainText text={authorText(revision)} length={100} isInline />
          </span>{" "}
          <TrustMark trust={revision.trust} />
        </summary>
        {isForgetting(revision) ? (
          <p class="note">A text was removed from this module and from all its revisions.</p>
        ) : (
          <>
            <DiffView before={revision.before} after={revision.after} />
            <div class="actions">
              <WhyButton>
                {(close) => <CauseDialog agent={agent} label={label} revision={number} onClose={close} />}
              </WhyButton>
              <UndoButtons agent={agent} label={label} revision={number} onChange={onChange} />
            </div>
          </>
        )}
      </details>
    </li>
  );
}

/** Returns the first line that a revision adds, or else removes, with its sign; "" for a forgetting. */
function beginningOfChange(revision: Revision): string {
  if (isForgetting(revision)) return "";
  const rows = changedRows(revision.before, revision.after);
  const row = rows.find(({ sign }) => sign === "+") ?? rows[0];
  return row === undefined ? "" : `${row.sign} ${row.text}`;
}
