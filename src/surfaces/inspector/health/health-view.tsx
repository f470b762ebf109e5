// Shows whether the server is ready, its version, and what the user has stored: records, keys, and what was forgotten.
import { Moment } from "../parts/moment.tsx";
import { numberText } from "../parts/number-text.ts";
import { Stats } from "../parts/stats.tsx";
import { Shown, Failure } from "../parts/shown.tsx";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Select } from "../parts/select.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/inspector-session.ts";
import { submitting, useAction, useChange } from "../session/use-action.ts";

export function HealthView() {
  const health = useLoaded(async (signal) => {
    const [about, ready] = await Promise.all([fetch("/health", { signal }), fetch("/ready", { signal })]);
    const { version } = (await about.json()) as { readonly version: string };
    const { status } = (await ready.json()) as { readonly status: string };
    return { version, status };
  }, []);
  const usage = useCall("GET /usage");
  return (
    <>
      <h1>Server</h1>
      <Shown loaded={health}>
        {({ version, status }) => (
          <p>
            <span class={status === "ok" ? "mark good" : "mark bad"}>{status}</span> <span class="note">{version}</span>
          </p>
        )}
      </Shown>
      <h2>Stored</h2>
      <Shown loaded={usage}>
        {(stored) =>
          stored === null ? (
            <p>Nothing yet.</p>
          ) : (
            <Stats
              label="Stored"
              figures={Object.entries(stored).map(([name, count]) => ({
                name: name === "sharedWith" ? "users of your agents" : name,
                value: numberText(count),
              }))}
            />
          )
        }
      </Shown>
      <KeyList />
      <Forgettings />
    </>
  );
}

function Forgettings() {
  const forgettings = useCall("GET /forgettings", { query: { limit: 50 } });
  return (
    <>
      <h2>Forgotten</h2>
      <Shown loaded={forgettings} empty="Nothing was forgotten.">
        {(found) => (
          <ul class="plain" aria-label="Forgotten">
            {found.map(({ id, requestedAt, origin, counts }) => (
              <li key={id}>
                <Moment at={requestedAt} /> by {origin}:{" "}
                {Object.entries(counts)
                  .map(([kind, count]) => `${count} ${kind}`)
                  .join(", ")}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}

type Key = CallResult<"GET /keys">[number];

/** Lists the user's keys with their scopes and use. */
function KeyList() {
  const keys = useCall("GET /keys");
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

/** Creates a key. Its secret is shown once, and kept nowhere. */
function NewKey({ onChange }: { readonly onChange: () => void }) {
  const { client } = useSession();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Key["scope"]>("chat");
  const [agent, setAgent] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const action = useAction();
  const canSave = name.trim() !== "";
  const save = async (): Promise<void> => {
    const only = agent.trim() === "" ? {} : { agent: agent.trim() };
    const created = await client.call("POST /keys", { body: { name: name.trim(), scope, ...only } });
    setSecret(created.secret);
    setName("");
    onChange();
  };
  return (
    <form class="panel" aria-label="New key" onSubmit={submitting(() => action.run(save))}>
      <h2>New key</h2>
      <div class="fields">
        <TextField label="Name" value={name} onChange={setName} placeholder="what it is for" />
        <label>
          Scope
          <Select value={scope} choices={scopes} onChoose={(chosen) => setScope(chosen as Key["scope"])} />
        </label>
        <TextField label="Only for the agent" value={agent} onChange={setAgent} placeholder="all agents" />
        {secret === null ? null : (
          <p role="status">
            Copy the key now, it is not shown again: <code>{secret}</code>
          </p>
        )}
      </div>
      <Failure error={action.error} />
      <div class="actions">
        <button type="submit" class="main" disabled={action.isRunning || !canSave}>
          Create
        </button>
        <span class="note" role="status">
          {secret !== null && !canSave ? "Saved." : ""}
        </span>
      </div>
    </form>
  );
}
