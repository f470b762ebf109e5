// Shows a button that opens the browser's file dialog, instead of the browser's own file field.
import { Icon } from "./icon.tsx";

interface FileChoiceProps {
  readonly label: string;
  readonly onChoose: (files: readonly File[]) => void;
}

export function FileChoice({ label, onChoose }: FileChoiceProps) {
  return (
    <label class="file-choice">
      <Icon name="attach" /> {label}
      <input
        type="file"
        multiple
        class="off-screen"
        aria-label={label}
        onChange={({ currentTarget }) => {
          // Clears the field, so that the same file can be chosen again. This empties the list, so copies the list first.
          const chosen = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          onChoose(chosen);
        }}
      />
    </label>
  );
}
