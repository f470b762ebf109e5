// The form of a new schedule, or of one that is changed.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/shown.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";

export type Schedule = CallResult<"GET /agents/:agent/schedules">[number];

interface ScheduleDialogProps {
  readonly agent: string;
  /** Absent: a new one. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function ScheduleDialog({ agent, schedule, onClose, onSaved }: ScheduleDialogProps) {
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
      const body = { text, timeZone: timeZone.trim(), conversation, ...timeOf(when) };
      if (schedule === undefined) await client.call("POST /agents/:agent/schedules", { params: { agent }, body });
      else await client.call("PATCH /schedules/:schedule", { params: { schedule: schedule.id }, body });
      onSaved();
    });
  const button = (
    <button type="button" class="main" disabled={action.isRunning || text.trim() === ""} onClick={save}>
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
      <Failure error={action.error} />
      <div class="fields">
        <TextField label="Message to send" rows={3} value={text} onChange={setText} />
        <WhenFields when={when} onChange={setWhen} />
        <TextField label="Time zone" value={timeZone} onChange={setTimeZone} />
        <label>
          Conversation
          <select
            value={conversation}
            onChange={(event) => setConversation(event.currentTarget.value === "new" ? "new" : "last")}
          >
            <option value="last">continues the last one</option>
            <option value="new">begins a new one each time</option>
          </select>
        </label>
      </div>
    </Dialog>
  );
}

interface When {
  readonly isOnce: boolean;
  readonly cron: string;
  /** As the browser's field has it; "": the time that is stored. */
  readonly at: string;
}

function timeOf({ isOnce, cron, at }: When): { readonly cron?: string; readonly at?: string } {
  if (!isOnce) return { cron: cron.trim() };
  return at === "" ? {} : { at: new Date(at).toISOString() };
}

function WhenFields({ when, onChange }: { readonly when: When; readonly onChange: (when: When) => void }) {
  return (
    <>
      <fieldset class="choices">
        <legend class="off-screen">When</legend>
        {[false, true].map((isOnce) => (
          <label key={String(isOnce)} class="check">
            <input
              type="radio"
              name="when"
              checked={when.isOnce === isOnce}
              onChange={() => onChange({ ...when, isOnce })}
            />
            {isOnce ? "once" : "again and again"}
          </label>
        ))}
      </fieldset>
      {when.isOnce ? (
        <label>
          At
          <input
            type="datetime-local"
            value={when.at}
            onInput={(event) => onChange({ ...when, at: event.currentTarget.value })}
          />
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
