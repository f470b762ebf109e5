// Lists the user's keys with their scopes and use, creates keys, and revokes them.
// Invariant: the secret of a new key is shown once, and kept nowhere.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { SaveForm } from "../parts/save-form.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

type Key = CallResult<"GET /keys">[number];

export function KeyList() {
  const { client } = useSession();
  const keys = useLoaded((signal) => client.call("GET /keys", { signal }), [client]);
  const [isCreating, setCreating] = useState(false);
  return (
    <section aria-label="Your keys">
      <div class="title-row">
        <h2>Your keys</h2>
        <button type="button" aria-expanded={isCreating} onClick={() => setCreating(!isCreating)}>
          <Icon name="add" /> New key
        </button>
      </div>
      {isCreating ? <NewKey onChange={keys.reload} /> : null}
      <Shown loaded={keys}>
        {(found) => (
          <ul class="rows" aria-label="Keys">
            {found.map((key) => (
              <KeyRow key={key.id} record={key} onChange={keys.reload} />
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}

interface KeyRowProps {
  readonly record: Key;
  readonly onChange: () => void;
}

function KeyRow({ record: { id, name, prefix, scope, agentId, lastUsedAt, revokedAt }, onChange }: KeyRowProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const revoke = () => action.act(() => client.call("DELETE /keys/:key", { params: { key: id } }));
  return (
    <li class="row">
      <div class="row-text">
        <PlainText text={name} length={100} isInline /> <code>{prefix}…</code> <span class="mark">{scope}</span>
        {agentId === null ? null : <span class="mark">one agent</span>}
        {revokedAt === null ? null : <span class="mark bad">revoked</span>}{" "}
        <span class="note">last used {lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />}</span>
        <Failure error={action.error} />
      </div>
      {revokedAt === null ? (
        <div class="row-actions">
          <ConfirmedButton
            icon="remove"
            label="Revoke"
            question="Revoke at once?"
            isRunning={action.isRunning}
            onConfirm={revoke}
          />
        </div>
      ) : null}
    </li>
  );
}

const scopes = [
  ["chat", "chat: talk and read"],
  ["read", "read: change nothing"],
  ["admin", "admin: everything that you can do"],
] as const;

function NewKey({ onChange }: { readonly onChange: () => void }) {
  const { client } = useSession();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Key["scope"]>("chat");
  const [agent, setAgent] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    const only = agent.trim() === "" ? {} : { agent: agent.trim() };
    const created = await client.call("POST /keys", { body: { name: name.trim(), scope, ...only } });
    setSecret(created.secret);
    setName("");
    onChange();
  };
  return (
    <SaveForm title="New key" canSave={name.trim() !== ""} onSave={save} label="Create">
      <TextField label="Name" value={name} onChange={setName} placeholder="what it is for" />
      <label>
        Scope
        <select value={scope} onChange={(event) => setScope(event.currentTarget.value as Key["scope"])}>
          {scopes.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <TextField label="Only for the agent" value={agent} onChange={setAgent} placeholder="all agents" />
      {secret === null ? null : (
        <p role="status">
          Copy the key now, it is not shown again: <code>{secret}</code>
        </p>
      )}
    </SaveForm>
  );
}
