// A form with one button, which is disabled until something has changed, and a note after the form was saved.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Failure } from "./shown.tsx";
import { submitting, useAction } from "../session/use-action.ts";

interface SaveFormProps {
  readonly title: string;
  readonly canSave: boolean;
  readonly onSave: () => Promise<unknown>;
  /** Text of the button. */
  readonly label: string;
  readonly children: ComponentChildren;
}

export function SaveForm({ title, canSave, onSave, label, children }: SaveFormProps) {
  const action = useAction();
  const [isSaved, setSaved] = useState(false);
  const save = async (): Promise<void> => setSaved(await action.run(onSave));
  return (
    <form class="panel" aria-label={title} onSubmit={submitting(save)} onInput={() => setSaved(false)}>
      <h2>{title}</h2>
      <div class="fields">{children}</div>
      <Failure error={action.error} />
      <div class="actions">
        <button type="submit" class="main" disabled={action.isRunning || !canSave}>
          {label}
        </button>
        <span class="note" role="status">
          {isSaved && !canSave ? "Saved." : ""}
        </span>
      </div>
    </form>
  );
}
