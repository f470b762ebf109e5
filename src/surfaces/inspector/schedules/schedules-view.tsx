// The messages that are sent to an agent at set times, and the result of each.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { type Schedule, ScheduleDialog } from "./schedule-form.tsx";

export function SchedulesView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const [opened, setOpened] = useState<Schedule | "new" | null>(null);
  const schedules = useLoaded(
    (signal) => client.call("GET /agents/:agent/schedules", { params: { agent }, signal }),
    [client, agent],
  );
  return (
    <>
      <div class="title-row">
        <h1>Schedules</h1>
        <button type="button" class="main" onClick={() => setOpened("new")}>
          <Icon name="add" /> New schedule
        </button>
      </div>
      <Shown loaded={schedules}>
        {(found) =>
          found.length === 0 ? (
            <div class="empty">
              <p>No message is scheduled.</p>
              <p>A schedule sends the agent a message at set times: a reminder, a review, a question.</p>
            </div>
          ) : (
            <ul class="rows" aria-label="Schedules">
              {found.map((schedule) => (
                <ScheduleRow
                  key={schedule.id}
                  agent={agent}
                  schedule={schedule}
                  onEdit={() => setOpened(schedule)}
                  onChange={schedules.reload}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      {opened === null ? null : (
        <ScheduleDialog
          agent={agent}
          {...(opened === "new" ? {} : { schedule: opened })}
          onClose={() => setOpened(null)}
          onSaved={() => {
            setOpened(null);
            schedules.reload();
          }}
        />
      )}
    </>
  );
}

interface ScheduleRowProps {
  readonly agent: string;
  readonly schedule: Schedule;
  readonly onEdit: () => void;
  readonly onChange: () => void;
}

function ScheduleRow({ agent, schedule, onEdit, onChange }: ScheduleRowProps) {
  const { client } = useSession();
  const { act, ...action } = useChange(onChange);
  const [isOpen, setOpen] = useState(false);
  const { id, text, cron, at, timeZone, isEnabled, nextAt } = schedule;
  const params = { schedule: id };
  const toggle = () =>
    act(() => client.call("PATCH /schedules/:schedule", { params, body: { isEnabled: !isEnabled } }));
  return (
    <li class="row" tabIndex={-1} data-item>
      <Icon name="schedules" />
      <div class="row-text">
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
          {timeZone}; next: {nextAt === null || !isEnabled ? "never" : <Moment at={nextAt} />}{" "}
          {isEnabled ? null : <span class="mark">off</span>}
        </p>
        <Failure error={action.error} />
        {isOpen ? <Runs agent={agent} schedule={id} /> : null}
      </div>
      <div class="row-actions">
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          History
        </button>
        <button type="button" class="quiet" onClick={onEdit}>
          <Icon name="edit" /> Change
        </button>
        <button type="button" class="quiet" disabled={action.isRunning} onClick={toggle}>
          {isEnabled ? "Turn off" : "Turn on"}
        </button>
        <ConfirmedButton
          icon="remove"
          label="Delete"
          question="Delete with its history?"
          isRunning={action.isRunning}
          onConfirm={() => act(() => client.call("DELETE /schedules/:schedule", { params }))}
        />
      </div>
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
                <Moment at={dueAt} /> <span class={status === "failed" ? "mark bad" : "mark"}>{status}</span>{" "}
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
