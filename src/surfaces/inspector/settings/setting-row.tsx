// Shows a setting as a row: its label, its value in words and its control. A switch or a choice is stored at once. Other
// values are edited below the row, and stored with Save.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import { Choices } from "../parts/choices.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { ruleText } from "./rule-text.ts";
import { SettingEditor } from "./setting-editor.tsx";
import type { ChoiceControl } from "./setting-entry.ts";
import type { NamedEntry } from "./setting-groups.ts";
import { refusalText } from "./setting-refusal.ts";
import { isDefault, valueText } from "./setting-texts.ts";

export interface SettingRowProps {
  readonly agent: string;
  readonly entry: NamedEntry;
  readonly value: unknown;
  readonly onSave: (value: unknown) => Promise<unknown>;
}

export function SettingRow({ agent, entry, value, onSave }: SettingRowProps) {
  const { isRunning, isSaved, asked, error, store } = useStoring(onSave);
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const labelId = useId();
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const save = async (next: unknown): Promise<void> => {
    if (await store(next)) close();
  };
  const refusal = <Refusal entry={entry} error={error} />;
  return (
    <li class="row setting">
      <RowText entry={entry} value={value} labelId={labelId} />
      <div class="setting-value">
        <ValueControl
          agent={agent}
          entry={entry}
          // While the server stores a value, the row shows that value.
          value={isRunning ? asked : value}
          labelId={labelId}
          isRunning={isRunning}
          onChoose={(next) => void save(next)}
        >
          <button
            ref={opener}
            type="button"
            class="setting-open"
            aria-expanded={isOpen}
            onClick={() => (isOpen ? close() : setOpen(true))}
          >
            <span class="off-screen">Change {entry.label}: </span>
            <PlainText text={shownText(entry, value)} length={80} isInline />
            <Icon name="edit" />
          </button>
        </ValueControl>
        <RowNote entry={entry} value={value} isSaved={isSaved && !isOpen} />
      </div>
      {isOpen ? (
        <SettingEditor
          entry={entry}
          value={value}
          isRunning={isRunning}
          refusal={refusal}
          onSave={(next) => void save(next)}
          onCancel={close}
        />
      ) : (
        refusal
      )}
    </li>
  );
}

/** Stores values with `onSave`. `asked` is the last value given to `store`, which resolves to whether it was stored. */
function useStoring(onSave: SettingRowProps["onSave"]) {
  const { run, ...state } = useAction();
  const [asked, setAsked] = useState<unknown>();
  const [isSaved, setSaved] = useState(false);
  const store = async (value: unknown): Promise<boolean> => {
    setAsked(value);
    setSaved(false);
    const isStored = await run(() => onSave(value));
    setSaved(isStored);
    return isStored;
  };
  return { ...state, asked, isSaved, store };
}

function shownText(entry: NamedEntry, value: unknown): string {
  return `${isDefault(entry, value) ? "Default: " : ""}${valueText(entry, value)}`;
}

interface RowNoteProps extends Pick<SettingRowProps, "entry" | "value"> {
  readonly isSaved: boolean;
}

/** Shows the default if the value differs from it, and a note after a value was saved. */
function RowNote({ entry, value, isSaved }: RowNoteProps) {
  const isOther = entry.default !== undefined && !isDefault(entry, value);
  return (
    <span class="note">
      {isOther ? `Default: ${valueText(entry, entry.default)} ` : null}
      <span role="status">{isSaved ? "Saved." : ""}</span>
    </span>
  );
}

interface RowTextProps extends Pick<SettingRowProps, "entry" | "value"> {
  readonly labelId: string;
}

function RowText({ entry: { name, label, help, control }, value, labelId }: RowTextProps) {
  return (
    <div class="row-text">
      <p>
        <span id={labelId} class="setting-label">
          {label}
        </span>{" "}
        <code class="setting-name">{name}</code>
      </p>
      <p class="note">{help}</p>
      {control.kind === "rules" ? <RuleList rules={value} /> : null}
    </div>
  );
}

interface ValueControlProps extends Pick<SettingRowProps, "agent" | "entry" | "value"> {
  readonly labelId: string;
  readonly isRunning: boolean;
  readonly onChoose: (value: unknown) => void;
  /** The button that opens the fields of a setting that is neither a switch nor a choice. */
  readonly children: ComponentChildren;
}

/** Shows the value: a switch and a choice can be changed there. */
function ValueControl({ agent, entry, value, labelId, isRunning, onChoose, children }: ValueControlProps) {
  const { label, control } = entry;
  switch (control.kind) {
    case "switch":
      return (
        <label class="check-line">
          <input
            type="checkbox"
            aria-labelledby={labelId}
            checked={value === control.on}
            disabled={isRunning}
            onChange={() => onChoose(value === control.on ? control.off : control.on)}
          />
          {valueText(entry, value)}
        </label>
      );
    case "choice":
      return (
        <Choices legend={label} choices={wordsOf(control)} chosen={value} onChoose={onChoose} isDisabled={isRunning} />
      );
    case "tools":
      return (
        <span>
          {valueText(entry, value)} <a href={addressOf(agentPlace(agent, "tools"))}>Change in Tools</a>
        </span>
      );
    default:
      return <>{children}</>;
  }
}

function wordsOf({ words, none }: ChoiceControl): readonly (readonly [value: string | null, word: string])[] {
  const named = Object.entries<string>(words);
  return none === undefined ? named : [[null, none], ...named];
}

function RuleList({ rules }: { readonly rules: unknown }) {
  const sentences = (rules as Parameters<typeof ruleText>[0][]).map(ruleText);
  return (
    <ul class="plain" aria-label="Rules">
      {sentences.map((sentence, at) => (
        <li key={at}>
          <PlainText text={sentence} length={400} isInline />
        </li>
      ))}
    </ul>
  );
}

/** Shows why the server refused a value: in this page's words if it is about the value, else in the server's words. */
function Refusal({ entry, error }: { readonly entry: NamedEntry; readonly error: unknown }) {
  const text = error instanceof ApiError ? refusalText(error.message, entry) : null;
  if (text === null) return <Failure error={error} />;
  return (
    <div class="failure" role="alert">
      <PlainText text={text} />
    </div>
  );
}
