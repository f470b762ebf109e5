// Shows a drop-down list of texts.
import { typed } from "../session/use-action.ts";

interface SelectProps {
  readonly "aria-label"?: string;
  readonly class?: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

export function Select({ choices, onChoose, ...field }: SelectProps) {
  return (
    <select {...field} onChange={typed(onChoose)}>
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
