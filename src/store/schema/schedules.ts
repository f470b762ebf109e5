// Tables: messages that are sent to agents at set times, and each occurrence that was due.
// Invariant: a schedule has at most one run per due time, whichever process fires it.
import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { scheduleFields, scheduleRunFields } from "../port/schedule-store.ts";
import { grantKey } from "./agents.ts";
import { conversations } from "./conversations.ts";
import { agentId, createdAt, moment, ownedBy, userId, uuid } from "./columns.ts";

export const schedules = pgTable(
  "schedules",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    text: text("text").notNull(),
    /** The times: a cron expression, or one moment. */
    cron: text("cron"),
    at: moment("at"),
    timeZone: text("time_zone").notNull(),
    conversation: text("conversation", { enum: scheduleFields.conversation.values }).notNull(),
    isEnabled: boolean("is_enabled").notNull(),
    onBusy: text("on_busy", { enum: scheduleFields.onBusy.values }).notNull(),
    onMissed: text("on_missed", { enum: scheduleFields.onMissed.values }).notNull(),
    /** Quiet hours such as `22:00-07:00`, in `time_zone`. */
    quietHours: text("quiet_hours"),
    onQuiet: text("on_quiet", { enum: scheduleFields.onQuiet.values }).notNull(),
    /** The next due time; null while the schedule is disabled, and when no due time is left. */
    nextAt: moment("next_at"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("schedules_agent_index").on(table.userId, table.agentId),
    index("schedules_due_index").on(table.userId, table.nextAt).where(sql`next_at is not null`),
    grantKey("schedules_grant_fkey", table),
    check("schedules_times_check", sql`(cron is null) <> (at is null)`),
  ],
);

export const scheduleRuns = pgTable(
  "schedule_runs",
  {
    userId: userId(),
    scheduleId: uuid("schedule_id").notNull(),
    dueAt: moment("due_at").notNull(),
    status: text("status", { enum: scheduleRunFields.status.values }).notNull(),
    /** The turn's stop reason, the consolidation's status, why the run was skipped, or the error code; null while it runs. */
    outcome: text("outcome"),
    /** The claim of the process that executes the run, and when another process may take the run over. */
    claim: uuid("claim").notNull(),
    claimedUntil: moment("claimed_until").notNull(),
    /** The run's conversation, null before it is open, and the run's turn, null before it has begun. */
    conversationId: uuid("conversation_id"),
    turnId: uuid("turn_id"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.scheduleId, table.dueAt] }),
    index("schedule_runs_running_index").on(table.userId, table.claimedUntil).where(sql`status = 'running'`),
    index("schedule_runs_conversation_index").on(table.userId, table.conversationId),
    ownedBy(
      "schedule_runs_conversation_fkey",
      [table.userId, table.conversationId],
      [conversations.userId, conversations.id],
    ),
    ownedBy("schedule_runs_schedule_fkey", [table.userId, table.scheduleId], [schedules.userId, schedules.id]),
  ],
);
