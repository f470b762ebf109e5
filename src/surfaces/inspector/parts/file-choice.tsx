// A button that opens the browser's file dialog: the file field itself is not shown.
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
          // The list is copied, because emptying the field empties the list. An empty field accepts the same file again.
          const chosen = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          onChoose(chosen);
        }}
      />
    </label>
  );
}
