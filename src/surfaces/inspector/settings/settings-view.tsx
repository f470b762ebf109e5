// The settings of an agent: its name, model and description, its system prompt, its other settings, and its deletion.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { countText } from "../parts/number-text.ts";
import { SaveForm } from "../parts/save-form.tsx";
import { Shown } from "../parts/shown.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/inspector-session.ts";
import { overview } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { changedSettings, type SettingValues, settingText, settingWords } from "./setting-texts.ts";

type Agent = CallResult<"GET /agents/:agent">;

export function SettingsView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const record = useLoaded(
    (signal) => client.call("GET /agents/:agent", { params: { agent }, signal }),
    [client, agent],
  );
  return (
    <>
      <h1>Settings</h1>
      <Shown loaded={record}>
        {(found) => (
          <>
            <Details record={found} onChange={record.reload} />
            <Prompt record={found} onChange={record.reload} />
            <Values record={found} onChange={record.reload} />
            <Deletion record={found} />
          </>
        )}
      </Shown>
    </>
  );
}

interface PartProps {
  readonly record: Agent;
  readonly onChange: () => void;
}

function Details({ record, onChange }: PartProps) {
  const { client } = useSession();
  const stored = { name: record.name, model: record.model, description: record.description ?? "" };
  const [edited, setEdited] = useState<Partial<typeof stored>>({});
  const shown = { ...stored, ...edited };
  const models = useLoaded((signal) => client.call("GET /models", { signal }), [client]);
  const changed = Object.entries(edited).filter(([key, text]) => text !== stored[key as keyof typeof stored]);
  const field = (key: keyof typeof stored) => ({
    value: shown[key],
    onChange: (text: string) => setEdited({ ...edited, [key]: text }),
  });
  const save = async (): Promise<void> => {
    const body = Object.fromEntries(
      changed.map(([key, text]) => [key, key === "description" && text.trim() === "" ? null : text.trim()]),
    );
    await client.call("PATCH /agents/:agent", { params: { agent: record.id }, body });
    onChange();
  };
  return (
    <SaveForm title="Agent" canSave={changed.length > 0 && shown.name.trim() !== ""} onSave={save}>
      <TextField label="Name" {...field("name")} />
      <TextField label="Model" {...field("model")} choices={models.value?.models.map(({ name }) => name) ?? []} />
      <TextField
        label="Description"
        {...field("description")}
        note="For people and programs; the agent does not see it."
      />
    </SaveForm>
  );
}

function Prompt({ record, onChange }: PartProps) {
  const { client } = useSession();
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? record.systemPrompt;
  const save = async (): Promise<void> => {
    await client.call("PUT /agents/:agent/system-prompt", { params: { agent: record.id }, body: { text } });
    onChange();
  };
  return (
    <SaveForm title="System prompt" canSave={text !== record.systemPrompt && text.trim() !== ""} onSave={save}>
      <TextField
        label="Instructions"
        rows={10}
        value={text}
        onChange={setEdited}
        note={`${countText([...text].length, "character")}. Core memory replaces {CORE_MEMORY}, or follows the text.`}
      />
    </SaveForm>
  );
}

/** The settings that the view of the tools shows, and this view does not. */
const elsewhere: ReadonlySet<string> = new Set(["removedTools", "addedTools"]);

function Values({ record, onChange }: PartProps) {
  const { client } = useSession();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [words, setWords] = useState("");
  const stored = record.settings as unknown as SettingValues;
  const changed = changedSettings(stored, texts);
  const shown = Object.keys(stored).filter(
    (key) => !elsewhere.has(key) && `${key} ${settingWords(key)}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const save = async (): Promise<void> => {
    await client.call("PATCH /agents/:agent/settings", { params: { agent: record.id }, body: { ...changed } });
    setTexts({});
    onChange();
  };
  return (
    <SaveForm title="Limits and behaviour" canSave={Object.keys(changed).length > 0} onSave={save}>
      <input
        type="search"
        aria-label="Find a setting"
        placeholder="Find a setting"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <p class="note">As in the configuration file: null means the default or no limit; lists and objects are JSON.</p>
      <div class="setting-list">
        {shown.map((key) => (
          <Setting
            key={key}
            name={key}
            stored={stored[key]}
            text={texts[key] ?? settingText(stored[key])}
            onChange={(text) => setTexts({ ...texts, [key]: text })}
          />
        ))}
      </div>
    </SaveForm>
  );
}

interface SettingProps {
  readonly name: string;
  readonly stored: unknown;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Setting({ name, stored, text, onChange }: SettingProps) {
  if (typeof stored !== "boolean") return <TextField label={settingWords(name)} value={text} onChange={onChange} />;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={text === "true"}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
      {settingWords(name)}
    </label>
  );
}

function Deletion({ record }: { readonly record: Agent }) {
  const { client } = useSession();
  const [name, setName] = useState("");
  const remove = async (): Promise<void> => {
    await client.call("DELETE /agents/:agent", { params: { agent: record.id } });
    goTo(overview);
  };
  return (
    <SaveForm title="Delete the agent" canSave={name === record.name} onSave={remove} label="Delete">
      <TextField
        label="Its name, to confirm"
        value={name}
        onChange={setName}
        note="Its conversations, memory and archive are deleted with it. This cannot be undone."
      />
    </SaveForm>
  );
}
