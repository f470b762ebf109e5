// The share that each user has of the server: requests and streams at a time, bytes of bodies in memory, requests in a minute; and
// the user's turn at what occupies the one event loop.
// Turns have their own limit in the runtime, because they go on after their requests.
// Invariant: what a request takes, it gives back once; a request beyond a limit is refused before its body is read.
import { type Clock, systemClock, within } from "../../base/clock.ts";
import { createFairPlaces, type FairPlaces } from "../../base/fair-places.ts";
import { Fault } from "./fault.ts";
import { createRateWindow, type RateWindow } from "./rate-window.ts";

/** What one user may use. */
export interface ShareLimits {
  readonly requestsPerMinute: number;
  /** Requests that are being answered at a time, without those whose response is a stream. */
  readonly requests: number;
  /** Open streams at a time. */
  readonly streams: number;
  /** Bytes of bodies in memory at a time, of all requests together. */
  readonly bytes: number;
}

/** What one request holds of its user's share. */
export interface Share {
  /** Takes bytes before they are read. Throws Fault `rate_limited`. */
  take(bytes: number): void;
  /** Resolves when more of a body may be read, after this much of it. */
  pace(bytes: number): Promise<void>;
  /** Runs work that occupies the event loop when few others of its kind and user run; they wait in a queue of their own. */
  inTurn<Result>(kind: WorkKind, work: () => Result | Promise<Result>): Promise<Result>;
  /** From now on the request is an open stream, and holds nothing else. */
  becomeStream(): void;
  /** Gives everything back; a second call does nothing. */
  leave(): void;
}

/** What a request occupies the event loop with: parsing its body, answering a read, or starting a turn. */
export type WorkKind = "body" | "read" | "start";

export interface UserShares {
  /** Begins a request. `mayStream`: its response may be a stream. Throws Fault `rate_limited`, and takes nothing then. */
  enter(userId: string, request: { readonly mayStream: boolean }): Share;
  /** Resolves when no request is being answered, streams aside, or after `ms` milliseconds. */
  requestsEnded(ms: number): Promise<void>;
  /** Resolves when no stream is open, or after `ms` milliseconds. */
  streamsEnded(ms: number): Promise<void>;
}

interface Used {
  requests: number;
  streams: number;
  bytes: number;
  /** Until when its bodies keep it within its rate, in milliseconds of `performance.now()`. */
  readUntil: number;
}

/** Milliseconds after which another request of the user may have ended. */
const retryMs = 1000;
const minuteMs = 60_000;
/** Of one user and kind at a time: one is read from the database while the other is answered. */
const maxAtWork = 2;
/** Milliseconds of work after which its place rests, if there are other users, and how many times as long as the work took. */
const longMs = 20;
const restFactor = 3;
/** Bytes of bodies that a user sends in a millisecond: what comes faster is read later. */
const bytesPerMs = 20_000;
/** Milliseconds of silence that a user may make up for at once: a body of the maximum length is not slowed down. */
const burstMs = 500;

export function createUserShares(limits: ShareLimits, clock: Pick<Clock, "now">): UserShares {
  const users = new Map<string, Used>();
  const minute = createRateWindow({ max: limits.requestsPerMinute, windowMs: minuteMs }, clock);
  const requests = createOpenCount();
  const streams = createOpenCount();
  const work = createFairPlaces({ size: Number.POSITIVE_INFINITY, maxOfOne: maxAtWork });

  return {
    enter(userId, { mayStream }) {
      requireRate(minute, userId, limits.requestsPerMinute);
      const used = users.get(userId) ?? { requests: 0, streams: 0, bytes: 0, readUntil: 0 };
      if (used.requests >= limits.requests) throw beyond(`${limits.requests} requests at a time`, "maxUserRequests");
      if (mayStream && used.streams >= limits.streams) throw beyond(`${limits.streams} open streams`, "maxUserStreams");
      users.set(userId, used);
      const inTurn = turnsOf(work, userId, () => users.size === 1);
      const share = createShare(used, { limits, mayStream, requests, streams, inTurn });
      return {
        ...share,
        leave() {
          share.leave();
          // One that has just sent much stays known, so that its next request is slowed down too.
          const isIdle = used.requests === 0 && used.streams === 0 && used.readUntil <= performance.now() - burstMs;
          if (isIdle && users.get(userId) === used) users.delete(userId);
        },
      };
    },
    requestsEnded: requests.ended,
    streamsEnded: streams.ended,
  };
}

interface Sharing {
  readonly limits: ShareLimits;
  readonly mayStream: boolean;
  readonly requests: OpenCount;
  readonly streams: OpenCount;
  readonly inTurn: Share["inTurn"];
}

function turnsOf(places: FairPlaces, userId: string, isAlone: () => boolean): Share["inTurn"] {
  return async (kind, work) => {
    const end = await places.take(`${kind} ${userId}`);
    const began = performance.now();
    try {
      return await work();
    } finally {
      const tookMs = performance.now() - began;
      if (tookMs < longMs || isAlone()) end();
      else setTimeout(end, restFactor * tookMs).unref();
    }
  };
}

function createShare(used: Used, { limits, mayStream, requests, streams, inTurn }: Sharing): Share {
  let taken = 0;
  let endRequest: (() => void) | null = requests.begin();
  let endStream: (() => void) | null = null;
  let hasLeft = false;
  used.requests += 1;
  // A stream that might begin has its place from the start, so that no turn runs whose answer is refused.
  if (mayStream) used.streams += 1;
  const leaveRequest = (): void => {
    if (endRequest === null) return;
    endRequest();
    endRequest = null;
    used.requests -= 1;
    used.bytes -= taken;
  };
  return {
    take(bytes) {
      if (used.bytes + bytes > limits.bytes)
        throw beyond(`bodies of ${limits.bytes} bytes at a time`, "maxUserMegabytes");
      used.bytes += bytes;
      taken += bytes;
    },
    async pace(bytes) {
      const now = performance.now();
      used.readUntil = Math.max(used.readUntil, now - burstMs) + bytes / bytesPerMs;
      if (used.readUntil > now) await systemClock.sleep(used.readUntil - now);
    },
    inTurn,
    becomeStream() {
      if (hasLeft) return;
      endStream = streams.begin();
      leaveRequest();
    },
    leave() {
      if (hasLeft) return;
      hasLeft = true;
      leaveRequest();
      endStream?.();
      if (mayStream) used.streams -= 1;
    },
  };
}

/** Also counts requests that are refused: a client that does not wait is not admitted. */
function requireRate(minute: RateWindow, userId: string, max: number): void {
  const retryAfterMs = minute.waitMs(userId);
  minute.add(userId);
  if (retryAfterMs === 0) return;
  const message = `More than ${max} requests of a user in a minute. Wait ${Math.ceil(retryAfterMs / 1000)} s.`;
  throw new Fault(429, "rate_limited", message, { retryAfterMs });
}

function beyond(limit: string, setting: string): Fault {
  const message = `A user may have ${limit} (\`${setting}\`). Send the request again when another one has ended.`;
  return new Fault(429, "rate_limited", message, { retryAfterMs: retryMs });
}

interface OpenCount {
  /** Counts one more; returns what to call once when it has ended. */
  begin(): () => void;
  ended(ms: number): Promise<void>;
}

function createOpenCount(): OpenCount {
  let open = 0;
  let notify: () => void = () => undefined;
  return {
    begin() {
      open += 1;
      return () => {
        open -= 1;
        if (open === 0) notify();
      };
    },
    async ended(ms) {
      if (open === 0) return;
      const empty = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await within(empty, ms);
    },
  };
}
