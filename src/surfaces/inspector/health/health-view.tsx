// The server: whether it is ready, its version, and what the user has stored: records, keys, and what was forgotten.
import { Moment } from "../parts/moment.tsx";
import { numberText } from "../parts/number-text.ts";
import { Stats } from "../parts/stats.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { KeyList } from "./key-list.tsx";

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
