// Shows the settings of an agent in groups, each edited in its row, and deletes the agent.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { overview } from "../session/place.ts";
import { submitting, typed, useChange } from "../session/use-action.ts";
import { useCall } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { isFound, type NamedEntry, type NamedGroup, settingGroups } from "./setting-groups.ts";
import { SettingRow } from "./setting-row.tsx";

type Agent = CallResult<"GET /agents/:agent">;

export function SettingsView({ agent }: { readonly agent: string }) {
  const record = useCall("GET /agents/:agent", { params: { agent } });
  return (
    <>
      <h1>Settings</h1>
      <Shown loaded={record}>{(found) => <Groups key={found.id} loaded={found} />}</Shown>
    </>
  );
}

function Groups({ loaded }: { readonly loaded: Agent }) {
  const [record, setRecord] = useState(loaded);
  const [words, setWords] = useState("");
  const groups = settingGroups.map((group) => foundIn(group, words));
  const isNothingFound = groups.every(({ common, rare }) => common.length + rare.length === 0);
  return (
    <>
      <div>
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words}
          onInput={typed(setWords)}
        />
        <p class="note">
          A change applies from the next turn. The small names are those of the configuration file and the
          documentation.
        </p>
      </div>
      {isNothingFound ? <p class="note">No setting has these words.</p> : null}
      {groups.map((group) => (
        <Group key={group.title} group={group} record={record} onChange={setRecord} />
      ))}
      {words.trim() === "" ? <Deletion record={record} /> : null}
    </>
  );
}

/** Returns the group with only the entries that a search finds, all unfolded; without words, the whole group. */
function foundIn(group: NamedGroup, words: string): NamedGroup {
  if (words.trim() === "") return group;
  return { ...group, common: [...group.common, ...group.rare].filter((entry) => isFound(entry, words)), rare: [] };
}

interface GroupProps {
  readonly group: NamedGroup;
  readonly record: Agent;
  readonly onChange: (record: Agent) => void;
}

function Group({ group: { title, common, rare }, record, onChange }: GroupProps) {
  const { client } = useSession();
  const row = (entry: NamedEntry) => (
    <SettingRow
      key={entry.name}
      agent={record.id}
      entry={entry}
      value={valueIn(record, entry.name)}
      onSave={async (value) => onChange(await store({ client, record, name: entry.name }, value))}
    />
  );
  if (common.length === 0) return null;
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <ul class="rows">{common.map(row)}</ul>
      {rare.length === 0 ? null : (
        <details>
          <summary>More</summary>
          <ul class="rows">{rare.map(row)}</ul>
        </details>
      )}
    </section>
  );
}

function valueIn({ settings, ...record }: Agent, name: string): unknown {
  const values: Readonly<Record<string, unknown>> = { ...record, ...settings };
  return values[name];
}

interface StoredPlace {
  readonly client: ReturnType<typeof useSession>["client"];
  readonly record: Agent;
  readonly name: string;
}

/** Stores a value of the agent's record or of its settings, and resolves to the new record. */
function store({ client, record, name }: StoredPlace, value: unknown): Promise<Agent> {
  const params = { agent: record.id };
  if (name in record.settings) return client.call("PATCH /agents/:agent/settings", { params, body: { [name]: value } });
  if (name === "systemPrompt")
    return client.call("PUT /agents/:agent/system-prompt", { params, body: { text: String(value) } });
  return client.call("PATCH /agents/:agent", { params, body: { [name]: value } });
}

function Deletion({ record }: { readonly record: Agent }) {
  const { client } = useSession();
  const action = useChange(() => goTo(overview));
  const [name, setName] = useState<string | null>(null);
  const remove = () => action.act(() => client.call("DELETE /agents/:agent", { params: { agent: record.id } }));
  return (
    <section class="panel" aria-label="Deletion">
      <h2>Deletion</h2>
      <div class="rows">
        <div class="row setting">
          <div class="row-text">
            <p class="setting-label">Delete the agent</p>
            <p class="note">Its conversations, memory and archive are deleted with it. This cannot be undone.</p>
          </div>
          <div class="setting-value">
            <button type="button" class="danger" aria-expanded={name !== null} onClick={() => setName("")}>
              Delete…
            </button>
          </div>
          {name === null ? null : (
            <form class="setting-form" aria-label="Delete the agent" onSubmit={submitting(remove)}>
              <label>
                Its name, to confirm
                <input type="text" class="wide" spellcheck={false} value={name} onInput={typed(setName)} />
              </label>
              <Failure error={action.error} />
              <div class="actions">
                <button type="submit" class="danger" disabled={action.isRunning || name !== record.name}>
                  Delete
                </button>
                <button type="button" onClick={() => setName(null)}>
                  Cancel
                </button>
              </div>
            </form>
          )}
        </div>
      </div>
    </section>
  );
}
