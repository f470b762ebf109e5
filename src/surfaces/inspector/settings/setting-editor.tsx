// Shows the fields of a setting below its row, with Save and Cancel. Escape cancels.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Select } from "../parts/select.tsx";
import { useSession } from "../session/inspector-session.ts";
import { submitting, typed } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import type { Amount, Control, Suggestions } from "./setting-entry.ts";
import type { NamedEntry } from "./setting-groups.ts";
import { capitalized, durationIn, durationUnits, fieldTexts, valueOf, valueText } from "./setting-texts.ts";
import { Icon } from "../parts/icon.tsx";
import { ruleKinds, ruleValues } from "./rule-text.ts";

interface SettingEditorProps {
  readonly entry: NamedEntry;
  readonly value: unknown;
  readonly isRunning: boolean;
  /** Why the server refused the last value. */
  readonly refusal: ComponentChildren;
  readonly onSave: (value: unknown) => void;
  readonly onCancel: () => void;
}

export function SettingEditor({ entry, value, isRunning, refusal, onSave, onCancel }: SettingEditorProps) {
  const { label, control, default: usual } = entry;
  const stored = fieldTexts(control, value);
  const [texts, setTexts] = useState(stored);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, button")?.focus(), []);
  const isChanged = texts.join("\n") !== stored.join("\n");
  const usualTexts = usual === undefined ? texts : fieldTexts(control, usual);
  const isUsual = texts.join("\n") === usualTexts.join("\n");
  return (
    <form
      ref={form}
      class="setting-form"
      aria-label={label}
      onSubmit={submitting(() => {
        if (isChanged) onSave(valueOf(control, texts));
      })}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      {control.kind === "rules" ? (
        <RulesField texts={texts} onChange={setTexts} />
      ) : (
        <div class={texts.length > 1 ? "setting-fields" : ""}>
          {texts.map((text, at) => {
            const onChange = (next: string) => setTexts(texts.with(at, next));
            return <Field key={at} label={label} control={control} at={at} text={text} onChange={onChange} />;
          })}
        </div>
      )}
      {refusal}
      <div class="actions">
        <button type="submit" class="main" disabled={isRunning || !isChanged}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        {isUsual ? null : (
          <button type="button" class="quiet" onClick={() => setTexts(usualTexts)}>
            Use the default: {valueText(entry, usual)}
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly control: Control;
  /** The index of the field among the fields of the setting. */
  readonly at: number;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Field({ label, control, at, text, onChange }: FieldProps) {
  const common = { "aria-label": label, value: text, onInput: typed(onChange), spellcheck: false };
  switch (control.kind) {
    case "amounts":
      return <AmountField amount={control.amounts[at]!} label={label} text={text} onChange={onChange} />;
    case "prose":
      return <textarea rows={14} {...common} />;
    case "names":
      return (
        <>
          <input type="text" class="wide" {...common} />
          <p class="note">Names of tools, separated by commas.</p>
        </>
      );
    case "text":
      return <SuggestedText {...common} suggests={control.suggests} none={control.none} />;
    default:
      return null;
  }
}

interface SuggestedTextProps {
  readonly "aria-label": string;
  readonly value: string;
  readonly onInput: ReturnType<typeof typed>;
  readonly suggests: Suggestions;
  readonly none: string | undefined;
}

function SuggestedText({ suggests, none, ...field }: SuggestedTextProps) {
  const { client } = useSession();
  const list = useId();
  const suggested = useLoaded(
    async (signal) => {
      if (suggests === "zones") return Intl.supportedValuesOf("timeZone");
      if (suggests === "nothing") return [];
      const { models } = await client.call("GET /models", { signal });
      return models.map(({ name }) => name);
    },
    [client, suggests],
  );
  return (
    <>
      <input
        type="text"
        class="wide"
        list={suggests === "nothing" ? undefined : list}
        placeholder={none === undefined ? undefined : capitalized(none)}
        {...field}
      />
      <datalist id={list}>
        {suggested.value?.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {none === undefined ? null : <p class="note">Empty: {none}.</p>}
    </>
  );
}

interface AmountFieldProps {
  readonly amount: Amount;
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Shows a number with its unit. The text of a duration also contains the chosen unit. */
function AmountField({ amount, label, text, onChange }: AmountFieldProps) {
  const { unit, none } = amount;
  const [number, name] = "seconds" in unit ? durationIn(text) : [text, ""];
  const own = amount.label === "" ? label : amount.label;
  return (
    <label class="amount">
      <span class={amount.label === "" ? "off-screen" : "note"}>{own}</span>
      <span class="amount-field">
        <input
          type="text"
          inputmode="decimal"
          aria-label={own}
          size={9}
          placeholder={none === undefined ? undefined : capitalized(none)}
          value={number}
          onInput={typed((value) => onChange("seconds" in unit ? `${value} ${name}` : value))}
        />
        {"seconds" in unit ? (
          <Select
            aria-label={`Unit of ${own}`}
            value={name}
            choices={durationUnits.filter(([, seconds]) => seconds >= unit.seconds).map(([each]) => [each, `${each}s`])}
            onChoose={(next) => onChange(`${number} ${next}`)}
          />
        ) : (
          <span class="note">{unit.many ?? `${unit.one}s`}</span>
        )}
      </span>
      {none === undefined || amount.label !== "" ? null : <span class="note">Empty: {none}.</span>}
    </label>
  );
}

interface RulesFieldProps {
  /** One text for each rule. */
  readonly texts: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

/** Shows the rules about the order of tool calls as rows, which the user can add and remove. */
function RulesField({ texts, onChange }: RulesFieldProps) {
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
    onInput: typed((text) => onChange(`${type}\n${tool}\n${text}`)),
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
        onInput={typed((name) => onChange(`${type}\n${name}\n${values}`))}
      />
      <Select
        aria-label="Kind"
        value={type}
        choices={Object.entries(ruleKinds)}
        onChoose={(kind) => onChange(`${kind}\n${tool}\n${values}`)}
      />
      <button type="button" class="quiet" aria-label={`Remove rule ${number}`} onClick={onRemove}>
        <Icon name="remove" />
      </button>
      {type === "conditional" ? <textarea rows={3} {...valuesField} /> : null}
      {hint === undefined || type === "conditional" ? null : <input type="text" class="wide" {...valuesField} />}
    </fieldset>
  );
}
