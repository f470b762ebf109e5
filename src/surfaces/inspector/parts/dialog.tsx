// Shows a modal dialog.
// Invariant: Escape and the close button close the dialog, and the element that had the focus before gets it back.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The buttons besides the close button. */
  readonly actions?: ComponentChildren;
  readonly closeLabel?: string;
}

export function Dialog({ title, onClose, children, actions, closeLabel = "Close" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={title}
      onClose={onClose}
      onKeyDown={({ key, ctrlKey, repeat }) => {
        // Presses the main button, which never deletes anything.
        if (ctrlKey && key === "Enter" && !repeat)
          element.current?.querySelector<HTMLElement>(".dialog-actions .main")?.click();
      }}
    >
      <h2>{title}</h2>
      <div class="dialog-body" tabIndex={0} role="group" aria-label="Content">
        {children}
      </div>
      <div class="dialog-actions">
        {actions}
        <button type="button" onClick={() => element.current?.close()}>
          {closeLabel}
        </button>
      </div>
    </dialog>
  );
}
