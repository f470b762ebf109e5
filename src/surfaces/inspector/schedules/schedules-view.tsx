// The messages that are sent to an agent at set times, and the result of each.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

type Schedule = CallResult<"GET /agents/:agent/schedules">[number];

export function SchedulesView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const schedules = useLoaded(
    (signal) => client.call("GET /agents/:agent/schedules", { params: { agent }, signal }),
    [client, agent],
  );
  return (
    <>
      <h1>Schedules</h1>
      <Shown loaded={schedules}>
        {(found) =>
          found.length === 0 ? (
            <p class="note">No message is scheduled.</p>
          ) : (
            <ul class="cards" aria-label="Schedules">
              {found.map((schedule) => (
                <ScheduleCard key={schedule.id} agent={agent} schedule={schedule} onChange={schedules.reload} />
              ))}
            </ul>
          )
        }
      </Shown>
      <p class="note">They are sent while a process runs the schedules.</p>
    </>
  );
}

interface ScheduleCardProps {
  readonly agent: string;
  readonly schedule: Schedule;
  readonly onChange: () => void;
}

function ScheduleCard({ agent, schedule, onChange }: ScheduleCardProps) {
  const { client } = useSession();
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const { id, text, cron, at, timeZone, isEnabled, nextAt } = schedule;
  const toggle = () =>
    action.run(async () => {
      await client.call("PATCH /schedules/:schedule", { params: { schedule: id }, body: { isEnabled: !isEnabled } });
      onChange();
    });
  return (
    <li class="card">
      <PlainText text={text} length={1000} />
      <p class="note">
        {cron === null ? null : (
          <>
            <code>{cron}</code>,{" "}
          </>
        )}
        {at === null ? null : (
          <>
            once <Moment at={at} />,{" "}
          </>
        )}
        {timeZone}
        {isEnabled ? null : <span class="mark">off</span>}
      </p>
      <p>Next: {nextAt === null || !isEnabled ? "never" : <Moment at={nextAt} />}</p>
      <Failure error={action.error} />
      <div class="actions">
        <button type="button" disabled={action.isRunning} onClick={toggle}>
          {isEnabled ? "Turn off" : "Turn on"}
        </button>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          History
        </button>
      </div>
      {isOpen ? <Runs agent={agent} schedule={id} /> : null}
    </li>
  );
}

function Runs({ agent, schedule }: { readonly agent: string; readonly schedule: string }) {
  const { client } = useSession();
  const runs = useLoaded(
    (signal) => client.call("GET /schedules/:schedule/runs", { params: { schedule }, query: { limit: 50 }, signal }),
    [client, schedule],
  );
  return (
    <Shown loaded={runs}>
      {(found) =>
        found.length === 0 ? (
          <p class="note">It was not due yet.</p>
        ) : (
          <ul class="plain" aria-label="History">
            {found.map(({ dueAt, status, outcome, conversationId }) => (
              <li key={dueAt}>
                <Moment at={dueAt} /> <span class="mark">{status}</span>{" "}
                {outcome === null ? null : <PlainText text={outcome} length={200} isInline />}
                {conversationId === null ? null : (
                  <>
                    {" "}
                    <a href={addressOf(agentPlace(agent, "conversations", [conversationId]))}>conversation</a>
                  </>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
