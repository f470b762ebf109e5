// Who holds a lease: a claimant in a process, as it is written into the conversation's row.
// Invariant: a holder counts as gone only when its process ran in this very system and runs no more.
import { isHolderRunning, isOnOtherHost, type LockHolder, thisHolder } from "../embedded/lock-holder.ts";

interface LeaseHolder extends LockHolder {
  readonly claimant: string;
}

let thisProcess: LockHolder | null = null;

/** This process with one of its claimants, for the row. */
export function holderText(claimant: string): string {
  // What a process is does not change, and asking the system may take a program's start.
  thisProcess ??= thisHolder();
  const holder: LeaseHolder = { ...thisProcess, claimant };
  return JSON.stringify(holder);
}

/** The holder in words for a person. */
export function describeHolder(text: string): string {
  const { pid, host } = parse(text);
  return `process ${pid} on ${host}`;
}

/** Whether that process is known to have ended. */
export function isHolderGone(text: string): boolean {
  const holder = parse(text);
  return !isOnOtherHost(holder) && !isHolderRunning(holder);
}

function parse(text: string): LeaseHolder {
  return JSON.parse(text) as LeaseHolder;
}
