// Undoes a change of core memory, and offers to undo the later changes that depend on it.
import { ApiError } from "../../client/api-error.ts";
import { Icon } from "../parts/icon.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useChange } from "../session/use-action.ts";

interface UndoButtonsProps {
  readonly agent: string;
  readonly label: string;
  readonly revision: number;
  readonly onChange: () => void;
}

export function UndoButtons({ agent, label, revision, onChange }: UndoButtonsProps) {
  const { client } = useSession();
  const undo = useChange(onChange);
  const revert = (force: boolean) =>
    undo.act(() => client.call("POST /agents/:agent/undo", { params: { agent }, body: { label, revision, force } }));
  const hasDependents = undo.error instanceof ApiError && undo.error.code === "dependent_edits";
  return (
    <>
      <button type="button" class="quiet" disabled={undo.isRunning} onClick={() => revert(false)}>
        <Icon name="undo" /> Undo
      </button>
      {hasDependents ? (
        <button type="button" class="danger" disabled={undo.isRunning} onClick={() => revert(true)}>
          Undo with the later edits
        </button>
      ) : null}
      <Failure error={undo.error} />
    </>
  );
}
