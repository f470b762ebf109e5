// The server: whether it is ready, its version, and the user's keys and stored records.
import { numberText } from "../parts/number-text.ts";
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
    </>
  );
}
