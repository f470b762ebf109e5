// Edits the text of a module.
// Invariant: a text that was changed by somebody else meanwhile is replaced only after the user has seen that.
import { useState } from "preact/hooks";
import { DiffView } from "../parts/diff-view.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { numberText } from "../parts/number-text.ts";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import type { CoreModule } from "./core-module.ts";

interface EditDialogProps {
  readonly agent: string;
  readonly module: CoreModule;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function EditDialog({ agent, module, onClose, onSaved }: EditDialogProps) {
  const { client } = useSession();
  const [text, setText] = useState(module.value);
  const [base, setBase] = useState(module);
  const save = useAction();
  const length = [...text].length;
  const { label } = module;
  const submit = () =>
    save.run(async () => {
      const modules = await client.call("GET /agents/:agent/modules", { params: { agent } });
      const current = modules.find(({ id }) => id === module.id);
      if (current !== undefined && current.revision !== base.revision) {
        setBase(current);
        return;
      }
      await client.call("PUT /agents/:agent/modules/:label", { params: { agent, label }, body: { value: text } });
      onSaved();
    });
  const button = (
    <button
      type="button"
      class="main"
      disabled={save.isRunning || length > module.limit || text === base.value}
      onClick={submit}
    >
      {base === module ? "Save" : "Replace the newer text"}
    </button>
  );
  return (
    <Dialog title={`Edit ${label}`} onClose={onClose} actions={button} closeLabel="Cancel">
      {save.error === undefined ? null : <Failure error={save.error} />}
      {base === module ? null : (
        <>
          <p role="alert">It was changed meanwhile. Saving replaces the newer text, as shown here:</p>
          <DiffView before={base.value} after={text} />
        </>
      )}
      <label for="module-text">Text</label>
      <textarea
        id="module-text"
        rows={12}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        aria-describedby="module-length"
      />
      <p id="module-length" class={length > module.limit ? "too-long" : "note"}>
        {numberText(length)} of {numberText(module.limit)} characters
      </p>
    </Dialog>
  );
}
