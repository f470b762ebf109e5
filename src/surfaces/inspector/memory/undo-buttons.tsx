// Undoes a change of core memory. If later edits depend on the change, it lists them and asks before they are undone, too.
import { useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { authorText } from "./revision-author.ts";

interface UndoButtonsProps {
  readonly agent: string;
  readonly label: string;
  readonly revision: number;
  readonly onChange: () => void;
}

export function UndoButtons({ agent, label, revision, onChange }: UndoButtonsProps) {
  const { client } = useSession();
  const undo = useChange(onChange);
  const [isDeclined, setDeclined] = useState(false);
  const revert = (force: boolean): void => {
    setDeclined(false);
    undo.act(() => client.call("POST /agents/:agent/undo", { params: { agent }, body: { label, revision, force } }));
  };
  const refusal = undo.error instanceof ApiError && undo.error.code === "dependent_edits" ? undo.error : null;
  return (
    <>
      <button type="button" class="quiet" disabled={undo.isRunning} onClick={() => revert(false)}>
        <Icon name="undo" /> Undo
      </button>
      {refusal === null ? <Failure error={undo.error} /> : null}
      {refusal === null || isDeclined ? null : (
        <LaterEditsDialog
          agent={agent}
          label={label}
          revision={revision}
          later={refusal.details.edits?.flatMap(({ later }) => later) ?? []}
          onConfirm={() => revert(true)}
          onClose={() => setDeclined(true)}
        />
      )}
    </>
  );
}

interface LaterEditsDialogProps extends Omit<UndoButtonsProps, "onChange"> {
  /** The numbers of the later edits. */
  readonly later: readonly number[];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Maximum number of revisions among which the later edits are searched. */
const maxRevisions = 1000;

function LaterEditsDialog({ agent, label, revision, later, onConfirm, onClose }: LaterEditsDialogProps) {
  const { client } = useSession();
  const edits = useLoaded(
    async (signal) => {
      const query = { label, limit: maxRevisions };
      const found = await client.call("GET /agents/:agent/revisions", { params: { agent }, query, signal });
      return found.filter((edit) => later.includes(edit.revision));
    },
    [client, agent, label, later.join()],
  );
  const confirm = (
    <button type="button" class="danger" disabled={edits.value === undefined} onClick={onConfirm}>
      Undo all {countText(later.length + 1, "edit")}
    </button>
  );
  return (
    <Dialog title={`Undo revision ${revision}?`} onClose={onClose} actions={confirm} closeLabel="Cancel">
      <p>
        {later.length === 1 ? "A later edit depends on it and is" : "Later edits depend on it and are"} undone with it.
        Nothing was changed yet.
      </p>
      <Shown loaded={edits}>
        {(found) => (
          <ol class="plain" aria-label="Later edits">
            {found.map((edit) => (
              <li key={edit.revision}>
                <strong>{edit.revision}</strong> <Moment at={edit.at} /> by{" "}
                <PlainText text={authorText(edit)} length={100} isInline /> <TrustMark trust={edit.trust} />
                <DiffView before={edit.before} after={edit.after} />
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Dialog>
  );
}
