// Shows a choice between a few values, all of them in a row.
import { useId } from "preact/hooks";

interface ChoicesProps<Value> {
  /** The name of the choice, for assistive technology. */
  readonly legend: string;
  readonly choices: readonly (readonly [value: Value, name: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
  /** Default false. */
  readonly isDisabled?: boolean;
}

export function Choices<Value>({ legend, choices, chosen, onChoose, isDisabled = false }: ChoicesProps<Value>) {
  const group = useId();
  return (
    <fieldset class="choices" disabled={isDisabled}>
      <legend class="off-screen">{legend}</legend>
      {choices.map(([value, name]) => (
        <label key={name}>
          <input type="radio" name={group} checked={value === chosen} onChange={() => onChoose(value)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}
