// The server: whether it is ready, its version, and what the user has stored: records, keys, and what was forgotten.
import { Moment } from "../parts/moment.tsx";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";

export function HealthView() {
  const { client } = useSession();
  const health = useLoaded(async (signal) => {
    const [about, ready] = await Promise.all([fetch("/health", { signal }), fetch("/ready", { signal })]);
    const { version } = (await about.json()) as { readonly version: string };
    const { status } = (await ready.json()) as { readonly status: string };
    return { version, status };
  }, []);
  const usage = useLoaded((signal) => client.call("GET /usage", { signal }), [client]);
  return (
    <>
      <h1>Server</h1>
      <Shown loaded={health}>
        {({ version, status }) => (
          <dl class="facts">
            <dt>Status</dt>
            <dd>{status}</dd>
            <dt>Version</dt>
            <dd>{version}</dd>
          </dl>
        )}
      </Shown>
      <h2>Stored</h2>
      <Shown loaded={usage}>
        {(stored) =>
          stored === null ? (
            <p>Nothing yet.</p>
          ) : (
            <dl class="facts">
              {Object.entries(stored).map(([name, count]) => (
                <div key={name}>
                  <dt>{name === "sharedWith" ? "agents of others" : name}</dt>
                  <dd>{numberText(count)}</dd>
                </div>
              ))}
            </dl>
          )
        }
      </Shown>
      <Keys />
      <Forgettings />
    </>
  );
}

function Keys() {
  const { client } = useSession();
  const keys = useLoaded((signal) => client.call("GET /keys", { signal }), [client]);
  return (
    <>
      <h2>Your keys</h2>
      <Shown loaded={keys}>
        {(found) => (
          <ul class="plain" aria-label="Keys">
            {found.map(({ id, name, prefix, scope, lastUsedAt, revokedAt }) => (
              <li key={id}>
                <PlainText text={name} length={100} isInline /> <code>{prefix}…</code> <span class="mark">{scope}</span>
                {revokedAt === null ? null : <span class="mark">revoked</span>}{" "}
                <span class="note">last used {lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />}</span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}

function Forgettings() {
  const { client } = useSession();
  const forgettings = useLoaded(
    (signal) => client.call("GET /forgettings", { query: { limit: 50 }, signal }),
    [client],
  );
  return (
    <>
      <h2>Forgotten</h2>
      <Shown loaded={forgettings}>
        {(found) =>
          found.length === 0 ? (
            <p class="note">Nothing was forgotten.</p>
          ) : (
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
          )
        }
      </Shown>
    </>
  );
}
