// Shows the schedules of an agent, which send messages at set times, with the results of their runs.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { momentText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Select } from "../parts/select.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { typed, useAction, useChange } from "../session/use-action.ts";
import { useCall } from "../session/use-loaded.ts";
import type { CallResult } from "../../client/api-types.ts";
import { Choices } from "../parts/choices.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/text-field.tsx";
import { cronText } from "./cron-text.ts";

export function SchedulesView({ agent }: { readonly agent: string }) {
  const [opened, setOpened] = useState<Schedule | "new" | null>(null);
  const schedules = useCall("GET /agents/:agent/schedules", { params: { agent } });
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

/** Milliseconds after which a due time counts as missed: a process that fires schedules checks every ten seconds. */
const missedMs = 60_000;

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
  const { id, text, cron, at, timeZone, isEnabled } = schedule;
  const nextAt = isEnabled ? schedule.nextAt : null;
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
              {cronText(cron)} <code>{cron}</code>,{" "}
            </>
          )}
          {at === null ? null : `once ${momentText(at, timeZone)}, `}
          {timeZone}; next:{" "}
          {nextAt === null ? (
            "never"
          ) : (
            <>
              <Moment at={nextAt} /> ({momentText(nextAt, timeZone)})
            </>
          )}{" "}
          {isEnabled ? null : <span class="mark">off</span>}
        </p>
        {nextAt !== null && Date.parse(nextAt) < Date.now() - missedMs ? (
          <p class="note">
            It is overdue: no process sends it. Start <code>schedule run</code>.
          </p>
        ) : null}
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
  const runs = useCall("GET /schedules/:schedule/runs", { params: { schedule }, query: { limit: 50 } });
  return (
    <Shown loaded={runs} empty="No message was sent yet.">
      {(found) => (
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
      )}
    </Shown>
  );
}

type Schedule = CallResult<"GET /agents/:agent/schedules">[number];

interface ScheduleDialogProps {
  readonly agent: string;
  /** The schedule to change; absent for a new schedule. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function ScheduleDialog({ agent, schedule, onClose, onSaved }: ScheduleDialogProps) {
  const { client } = useSession();
  const action = useAction();
  const [text, setText] = useState(schedule?.text ?? "");
  const [when, setWhen] = useState<When>({
    isOnce: schedule?.cron === null,
    cron: schedule?.cron ?? "0 9 * * 1-5",
    at: "",
  });
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [conversation, setConversation] = useState<Schedule["conversation"]>(schedule?.conversation ?? "last");
  const save = () =>
    action.run(async () => {
      const body = { text, timeZone: timeZone.trim(), conversation, ...timeOf(when, timeZone.trim()) };
      if (schedule === undefined) await client.call("POST /agents/:agent/schedules", { params: { agent }, body });
      else await client.call("PATCH /schedules/:schedule", { params: { schedule: schedule.id }, body });
      onSaved();
    });
  const button = (
    <button type="button" class="main" disabled={action.isRunning || !isComplete(text, when, schedule)} onClick={save}>
      Save
    </button>
  );
  return (
    <Dialog
      title={schedule === undefined ? "New schedule" : "Change the schedule"}
      onClose={onClose}
      actions={button}
      closeLabel="Cancel"
    >
      <div class="fields">
        <TextField label="Message to send" rows={3} value={text} onChange={setText} />
        <WhenFields when={when} onChange={setWhen} />
        <TextField label="Time zone" value={timeZone} onChange={setTimeZone} />
        <Failure error={action.error} />
        <label>
          Conversation
          <Select
            value={conversation}
            choices={conversationChoices}
            onChoose={(chosen) => setConversation(chosen === "new" ? "new" : "last")}
          />
        </label>
      </div>
    </Dialog>
  );
}

const conversationChoices = [
  ["last", "continues the last one"],
  ["new", "begins a new one each time"],
] as const;

interface When {
  readonly isOnce: boolean;
  readonly cron: string;
  /** The time in the form of the browser's field, in the time zone of the dialog; "" keeps the stored time. */
  readonly at: string;
}

function isComplete(text: string, { isOnce, at }: When, stored: Schedule | undefined): boolean {
  return text.trim() !== "" && (!isOnce || at !== "" || typeof stored?.at === "string");
}

/** Returns the times to store; without fields if the stored time is kept. */
function timeOf({ isOnce, cron, at }: When, timeZone: string): { readonly cron?: string; readonly at?: string } {
  if (!isOnce) return { cron: cron.trim() };
  if (at === "") return {};
  const wanted = Date.parse(`${at}Z`);
  // Guesses the time with the offset at `wanted`, then uses the offset at the guess: the clocks may change in between.
  const guess = wanted - offsetMs(wanted, timeZone);
  return { at: new Date(wanted - offsetMs(guess, timeZone)).toISOString() };
}

/** Returns the offset of a zone from UTC in milliseconds; 0 for an unknown zone, which the server refuses later. */
function offsetMs(ms: number, timeZone: string): number {
  try {
    // Swedish times have the form of ISO 8601.
    return Date.parse(`${new Date(ms).toLocaleString("sv", { timeZone }).replace(" ", "T")}Z`) - ms;
  } catch {
    return 0;
  }
}

const whenChoices = [
  [false, "again and again"],
  [true, "once"],
] as const;

function WhenFields({ when, onChange }: { readonly when: When; readonly onChange: (when: When) => void }) {
  return (
    <>
      <Choices
        legend="When"
        choices={whenChoices}
        chosen={when.isOnce}
        onChoose={(isOnce) => onChange({ ...when, isOnce })}
      />
      {when.isOnce ? (
        <label>
          At
          <input type="datetime-local" value={when.at} onInput={typed((at) => onChange({ ...when, at }))} />
        </label>
      ) : (
        <TextField
          label="Cron expression"
          value={when.cron}
          onChange={(cron) => onChange({ ...when, cron })}
          note="Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5 is at nine from Monday to Friday."
        />
      )}
    </>
  );
}
