// Sends module changes to the database, and finds the error if not all of them were applied.
// Invariant: all changes of a call are applied, or the error thrown here rolls them back.
import {
  ModuleAppendOnlyError,
  ModuleNotFoundError,
  ModuleReadOnlyError,
  RevisionConflictError,
} from "../../base/errors.ts";
import type { ChangeCause, ModuleChange, Origin } from "../port/records.ts";
import type { Trust } from "../../base/message/message.ts";
import { changeCoreMemory } from "../sql/change-modules.ts";
import type { Transaction } from "../connection/transaction.ts";
import { type ModuleRow, visibleModules } from "./module-rows.ts";

/**
 * Returns changes in the form that `changeModules` takes. Throws RevisionConflictError if two changes have the same
 * label, because the second was not made from the result of the first.
 */
export function changeRows(changes: readonly ModuleChange[], cause: ChangeCause): readonly object[] {
  const repeated = changes.find(({ label }, index) => changes.findIndex((change) => change.label === label) !== index);
  if (repeated !== undefined) throw new RevisionConflictError(repeated.label);
  return changes.map(({ label, revision, before, after, undoes, trust, lineTrust, written, external, restated }) => {
    const text = givenTrust(cause.origin, trust ?? cause.trust);
    const own = givenTrust(cause.origin, written ?? text);
    return {
      label,
      revision,
      before,
      after,
      undoes,
      trust: text,
      line_trust: cause.origin === "import" ? null : (lineTrust ?? null),
      written: own,
      // The trust class of each line of the new text; null if the lines that the change wrote have the text's class.
      revision_trust: own === text ? null : after.split("\n").map(() => text),
      external: own === "external" ? (external ?? cause.external ?? []) : [],
      restated,
    };
  });
}

/** Returns a cause in the form that `changeModules` takes. */
export function changeCause(cause: ChangeCause): object {
  return {
    origin: cause.origin,
    client: cause.client ?? null,
    tool_name: cause.toolName ?? null,
    call_id: cause.callId ?? null,
    message_id: cause.messageId ?? null,
    conversation_id: cause.conversationId ?? null,
  };
}

export interface Whose {
  readonly userId: string;
  readonly agentId: string;
}

/**
 * Applies changes one after the other, so that each can build on the previous one. Throws the same errors as
 * `requireAllEdited`.
 */
export async function changeInOrder(
  tx: Transaction,
  whose: Whose,
  changes: readonly ModuleChange[],
  cause: ChangeCause,
): Promise<void> {
  for (const change of changes) {
    const parameters = [whose.userId, whose.agentId, changeRows([change], cause), changeCause(cause)];
    const edited = await tx.run<{ readonly label: string }>(changeCoreMemory, parameters);
    await requireAllEdited(
      tx,
      whose,
      [change],
      edited.map(({ label }) => label),
    );
  }
}

/** Throws the error of `refusedChange` if a change was not applied. */
export async function requireAllEdited(
  tx: Transaction,
  whose: Whose,
  changes: readonly ModuleChange[],
  edited: readonly string[],
): Promise<void> {
  const missed = changes.filter(({ label }) => !edited.includes(label));
  if (missed.length > 0) throw await refusedChange(tx, whose, missed);
}

/** Returns the error for the first change that cannot be applied. Must be called only if a change was refused. */
export async function refusedChange(
  tx: Transaction,
  { userId, agentId }: Whose,
  changes: readonly ModuleChange[],
): Promise<ModuleNotFoundError | ModuleReadOnlyError | ModuleAppendOnlyError | RevisionConflictError> {
  const visible = await tx.run<ModuleRow>(visibleModules, [userId, agentId]);
  const labels = visible.map(({ label }) => label);
  for (const { label, revision, before, after } of changes) {
    const found = visible.find((module) => module.label === label);
    if (found === undefined) return new ModuleNotFoundError(label, labels);
    if (found.holderId !== userId || (found.ownerId !== userId && found.readOnly))
      return new ModuleReadOnlyError(label);
    if (found.revision !== revision || found.value !== before) return new RevisionConflictError(label);
    if (found.ownerId !== userId && !after.startsWith(found.value)) return new ModuleAppendOnlyError(label);
  }
  return new RevisionConflictError(changes[0]?.label ?? "");
}

/**
 * Returns the trust class of a text that is stored. An imported text is always `external`. If no class was given, a
 * text of the model is `external`, and any other text `user`.
 */
export function givenTrust(origin: Origin, said: Trust | undefined): Trust {
  if (origin === "import") return "external";
  return said ?? (origin === "model" ? "external" : "user");
}
