// The sources that an agent can search, with their files and passages.
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { PassageList } from "../passages/passage-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

interface SourcesViewProps {
  readonly agent: string;
  /** The id of the chosen source. */
  readonly path: readonly string[];
}

export type Source = CallResult<"GET /sources">[number];

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
          if (source === undefined) return <p class="note">No files were loaded yet.</p>;
          return (
            <div class="columns">
              <ul class="list" aria-label="Sources">
                {sources.map((each) => (
                  <SourceLink key={each.id} agent={agent} agentId={agentId} source={each} isChosen={each === source} />
                ))}
              </ul>
              <SourceDetail key={source.id} agentId={agentId} source={source} onChange={loaded.reload} />
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
    <li>
      <a
        class="list-item"
        href={addressOf(agentPlace(agent, "sources", [id]))}
        aria-current={isChosen ? "true" : undefined}
        data-item
      >
        <strong>
          <PlainText text={name} length={80} isInline />
        </strong>{" "}
        {agentIds.includes(agentId) ? <span class="mark">attached</span> : null}
        <span class="note block">
          {countText(files, "file")}, {countText(passages, "passage")}
          {failed === 0 ? "" : `, ${failed} failed`}
        </span>
      </a>
    </li>
  );
}

interface SourceDetailProps {
  readonly agentId: string;
  readonly source: Source;
  readonly onChange: () => void;
}

function SourceDetail({ agentId, source, onChange }: SourceDetailProps) {
  const { client } = useSession();
  const action = useAction();
  const { id, name, description, agentIds, loadedAt } = source;
  const isAttached = agentIds.includes(agentId);
  const change = () =>
    action.run(async () => {
      const params = { agent: agentId, source: id };
      if (isAttached) await client.call("DELETE /agents/:agent/sources/:source", { params });
      else await client.call("PUT /agents/:agent/sources/:source", { params, body: {} });
      onChange();
    });
  return (
    <section aria-label={`Source ${name}`} class="detail">
      <div class="title-row">
        <h2>
          <PlainText text={name} length={200} isInline />
        </h2>
        <button type="button" disabled={action.isRunning} onClick={change}>
          {isAttached ? "Detach" : "Attach"}
        </button>
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
      <SourceFiles source={id} />
      <h3>Passages</h3>
      <PassageList home={{ source: id }} />
    </section>
  );
}

function SourceFiles({ source }: { readonly source: string }) {
  const { client } = useSession();
  const files = useLoaded(
    (signal) => client.call("GET /sources/:source/files", { params: { source }, signal }),
    [client, source],
  );
  return (
    <Shown loaded={files}>
      {(found) =>
        found.length === 0 ? null : (
          <>
            <h3>Files</h3>
            <ul class="plain" aria-label="Files">
              {found.map(({ id, path, status, passages, reason }) => (
                <li key={id}>
                  <PlainText text={path} length={300} isInline /> <span class="mark">{status}</span>{" "}
                  <span class="note">{countText(passages, "passage")}</span>
                  {reason === null ? null : (
                    <>
                      {" "}
                      <PlainText text={reason} length={300} isInline />
                    </>
                  )}
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  );
}
