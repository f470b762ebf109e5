// Shows a button for an action that cannot be undone: the first click asks, the second click acts.
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface ConfirmedButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The text of the button after the first click. */
  readonly question: string;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
}

export function ConfirmedButton({ icon, label, question, isRunning, onConfirm }: ConfirmedButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <button
      type="button"
      class="quiet danger"
      disabled={isRunning}
      onClick={() => {
        if (isAsked) onConfirm();
        setAsked(!isAsked);
      }}
      onBlur={() => setAsked(false)}
    >
      <Icon name={icon} /> {isAsked ? question : label}
    </button>
  );
}
