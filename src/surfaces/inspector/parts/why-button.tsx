// Shows the button that opens the dialog about the cause of a record.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** `children` returns the dialog; its argument closes the dialog. */
export function WhyButton({ children }: { readonly children: (close: () => void) => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        <Icon name="question" /> Why
      </button>
      {isOpen ? children(() => setOpen(false)) : null}
    </>
  );
}
