// The rules about the order of tool calls as rows, which can be added and removed.
import { Icon } from "../parts/icon.tsx";
import { ruleKinds, ruleValues } from "./rule-text.ts";

interface RulesFieldProps {
  /** One text for each rule. */
  readonly texts: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

export function RulesField({ texts, onChange }: RulesFieldProps) {
  return (
    <>
      {texts.map((text, at) => (
        <RuleRow
          key={at}
          number={at + 1}
          text={text}
          onChange={(next) => onChange(texts.with(at, next))}
          onRemove={() => onChange(texts.toSpliced(at, 1))}
        />
      ))}
      <button type="button" class="quiet" onClick={() => onChange([...texts, "exit-loop\n\n"])}>
        Add a rule
      </button>
    </>
  );
}

interface RuleRowProps {
  readonly number: number;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onRemove: () => void;
}

function RuleRow({ number, text, onChange, onRemove }: RuleRowProps) {
  const [type = "", tool = "", ...lines] = text.split("\n");
  const values = lines.join("\n");
  const hint = ruleValues[type];
  const valuesField = {
    "aria-label": hint,
    placeholder: hint,
    value: values,
    spellcheck: false,
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(`${type}\n${tool}\n${value}`),
  };
  return (
    <fieldset class="rule">
      <legend class="off-screen">Rule {number}</legend>
      <input
        type="text"
        aria-label="Tool"
        placeholder="Tool"
        spellcheck={false}
        value={tool}
        onInput={({ currentTarget: { value } }) => onChange(`${type}\n${value}\n${values}`)}
      />
      <select
        aria-label="Kind"
        value={type}
        onChange={({ currentTarget: { value } }) => onChange(`${value}\n${tool}\n${values}`)}
      >
        {Object.entries(ruleKinds).map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      <button type="button" class="quiet" aria-label={`Remove rule ${number}`} onClick={onRemove}>
        <Icon name="remove" />
      </button>
      {type === "conditional" ? <textarea rows={3} {...valuesField} /> : null}
      {hint === undefined || type === "conditional" ? null : <input type="text" class="wide" {...valuesField} />}
    </fieldset>
  );
}
