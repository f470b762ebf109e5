// Shows the sources that an agent can search, with their files and passages.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { ListLink } from "../parts/list-link.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { PassageList } from "../passages/passage-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { submitting, typed, useAction, useChange } from "../session/use-action.ts";
import { useLoaded, useCall } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { FileChoice } from "../parts/file-choice.tsx";
import { visibleText } from "../parts/visible-text.ts";

interface SourcesViewProps {
  readonly agent: string;
  /** The id of the chosen source. */
  readonly path: readonly string[];
}

type Source = CallResult<"GET /sources">[number];

export function SourcesView({ agent, path: [chosen] }: SourcesViewProps) {
  const { client } = useSession();
  const loaded = useLoaded(
    async (signal) => {
      const [sources, record] = await Promise.all([
        client.call("GET /sources", { signal }),
        client.call("GET /agents/:agent", { params: { agent }, signal }),
      ]);
      return { sources, agentId: record.id };
    },
    [client, agent],
  );
  return (
    <>
      <h1>Sources</h1>
      <Shown loaded={loaded}>
        {({ sources, agentId }) => {
          const source = sources.find(({ id }) => id === chosen) ?? sources[0];
          return (
            <div class={chosen === undefined && sources.length > 1 ? "columns" : "columns chosen"}>
              <div class={source === undefined ? "" : "choice-list"}>
                {sources.length === 0 ? <p class="note">There is no source yet.</p> : null}
                <ul class="list" aria-label="Sources">
                  {sources.map((each) => (
                    <SourceLink
                      key={each.id}
                      agent={agent}
                      agentId={agentId}
                      source={each}
                      isChosen={each === source}
                    />
                  ))}
                </ul>
                <NewSource agent={agentId} onChange={loaded.reload} />
              </div>
              {source === undefined ? null : (
                <div class="chosen-only detail">
                  <a class="back" href={addressOf(agentPlace(agent, "sources"))}>
                    ← All sources
                  </a>
                  <SourceDetail key={source.id} agentId={agentId} source={source} onChange={loaded.reload} />
                </div>
              )}
            </div>
          );
        }}
      </Shown>
    </>
  );
}

interface SourceLinkProps {
  readonly agent: string;
  readonly agentId: string;
  readonly source: Source;
  readonly isChosen: boolean;
}

function SourceLink({ agent, agentId, source, isChosen }: SourceLinkProps) {
  const { id, name, files, passages, failed, agentIds } = source;
  return (
    <ListLink place={agentPlace(agent, "sources", [id])} isChosen={isChosen}>
      <strong>
        <PlainText text={name} length={80} isInline />
      </strong>{" "}
      {agentIds.includes(agentId) ? <span class="mark">attached</span> : null}
      <span class="note block">
        {countText(files, "file")}, {countText(passages, "passage")}
        {failed === 0 ? "" : `, ${failed} failed`}
      </span>
    </ListLink>
  );
}

/** Creates a source and attaches it to the agent. */
function NewSource({ agent, onChange }: { readonly agent: string; readonly onChange: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [name, setName] = useState("");
  const create = () =>
    action.run(async () => {
      const { id } = await client.call("POST /sources", { body: { name: name.trim() } });
      await client.call("PUT /agents/:agent/sources/:source", { params: { agent, source: id }, body: {} });
      setName("");
      onChange();
      goTo(agentPlace(agent, "sources", [id]));
    });
  return (
    <form class="name-form" onSubmit={submitting(create)}>
      <Failure error={action.error} />
      <input
        type="text"
        aria-label="Name of a new source"
        placeholder="New source"
        value={name}
        onInput={typed(setName)}
      />
      <button type="submit" disabled={action.isRunning || name.trim() === ""}>
        <Icon name="add" /> Add source
      </button>
    </form>
  );
}

interface SourceDetailProps {
  readonly agentId: string;
  readonly source: Source;
  readonly onChange: () => void;
}

function SourceDetail({ agentId, source, onChange }: SourceDetailProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const { id, name, description, agentIds, loadedAt } = source;
  const isAttached = agentIds.includes(agentId);
  const params = { agent: agentId, source: id };
  const change = () =>
    action.act(() =>
      isAttached
        ? client.call("DELETE /agents/:agent/sources/:source", { params })
        : client.call("PUT /agents/:agent/sources/:source", { params, body: {} }),
    );
  const remove = () =>
    action.act(async () => {
      await client.call("DELETE /sources/:source", { params: { source: id } });
      goTo(agentPlace(agentId, "sources"));
    });
  return (
    <section aria-label={`Source ${name}`}>
      <div class="title-row">
        <h2>
          <PlainText text={name} length={200} isInline />
        </h2>
        <button type="button" disabled={action.isRunning} onClick={change}>
          {isAttached ? "Detach" : "Attach"}
        </button>
        <ConfirmedButton
          icon="remove"
          label="Delete"
          question="Delete for every agent?"
          isRunning={action.isRunning}
          onConfirm={remove}
        />
      </div>
      <Failure error={action.error} />
      <p class="note">
        {description === null ? null : <PlainText text={description} length={500} isInline />}{" "}
        {loadedAt === null ? null : (
          <>
            loaded <Moment at={loadedAt} />
          </>
        )}
      </p>
      <SourceFiles source={id} onChange={onChange} />
      <h3>Passages</h3>
      <PassageList home={{ source: id }} />
    </section>
  );
}

/** Lists the files of a source with their errors, loads files from the user's machine, and removes files. */
function SourceFiles({ source, onChange }: { readonly source: string; readonly onChange: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const files = useCall("GET /sources/:source/files", { params: { source } });
  const changed = (step: () => Promise<void>) =>
    void action.run(async () => {
      try {
        await step();
      } finally {
        files.reload();
        onChange();
      }
    });
  const load = (chosen: readonly File[]) =>
    changed(async () => {
      // Files are sent one after the other, so that a file that cannot be read does not affect the files before it.
      for (const file of chosen) {
        await client.call("POST /sources/:source/files", { params: { source }, body: { file, name: file.name } });
      }
    });
  const remove = (path: string) =>
    changed(
      async () => void (await client.call("DELETE /sources/:source/files", { params: { source }, query: { path } })),
    );
  return (
    <>
      <div class="title-row">
        <h3>Files</h3>
        <FileChoice label="Load files" onChoose={load} />
      </div>
      {action.isRunning ? (
        <p class="note" role="status">
          Reading…
        </p>
      ) : null}
      <Failure error={action.error} />
      <Shown loaded={files} empty="No file was loaded: text, Markdown, HTML, PDF, code or JSON lines.">
        {(found) => (
          <ul class="rows" aria-label="Files">
            {found.map((file) => (
              <FileRow key={file.id} file={file} isRunning={action.isRunning} onRemove={() => remove(file.path)} />
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}

interface FileRowProps {
  readonly file: CallResult<"GET /sources/:source/files">[number];
  readonly isRunning: boolean;
  readonly onRemove: () => void;
}

function FileRow({ file: { path, status, passages, reason }, isRunning, onRemove }: FileRowProps) {
  return (
    <li class="row">
      <Icon name="sources" />
      <div class="row-text">
        <PlainText text={path} length={300} isInline />{" "}
        {status === "failed" ? <span class="mark bad">failed</span> : null}
        <span class="note block">
          {countText(passages, "passage")}
          {reason === null ? null : (
            <>
              , <PlainText text={reason} length={300} isInline />
            </>
          )}
        </span>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="quiet danger"
          disabled={isRunning}
          onClick={onRemove}
          aria-label={`Remove ${visibleText(path)}`}
        >
          <Icon name="remove" /> Remove
        </button>
      </div>
    </li>
  );
}
