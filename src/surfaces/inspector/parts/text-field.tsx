// Shows a field for a text, with its label: one line, or an area.
import { useId } from "preact/hooks";
import { typed } from "../session/use-action.ts";

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Number of rows of the area; if absent, the field has one line. */
  readonly rows?: number;
  readonly placeholder?: string;
  /** Values to choose from; others can be typed. */
  readonly choices?: readonly string[];
  readonly note?: string;
}

export function TextField({ label, value, onChange, rows, placeholder, choices = [], note }: TextFieldProps) {
  const list = useId();
  const common = {
    value,
    placeholder,
    onInput: typed(onChange),
  };
  return (
    <label>
      {label}
      {rows === undefined ? (
        <input type="text" spellcheck={false} list={choices.length === 0 ? undefined : list} {...common} />
      ) : (
        <textarea rows={rows} {...common} />
      )}
      {choices.length === 0 ? null : (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {note === undefined ? null : <span class="note">{note}</span>}
    </label>
  );
}
