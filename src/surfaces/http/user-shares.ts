// Limits what each user may use of the server: concurrent requests and streams, bytes of bodies in memory, requests per
// minute, and time on the event loop. The runtime limits turns, because a turn continues after its request has ended.
// Invariant: a request releases exactly once what it has reserved; a request over a limit is refused before its body is read.
import { type Clock, systemClock, within } from "../../base/clock.ts";
import { createFairPlaces, type FairPlaces } from "../../base/fair-places.ts";
import { Fault } from "./fault.ts";
import { createRateWindow, type RateWindow } from "./rate-window.ts";

/** The limits of one user's share of the server. */
export interface ShareLimits {
  readonly requestsPerMinute: number;
  /** Maximum number of concurrent requests, not counting those with a stream as response. */
  readonly requests: number;
  /** Maximum number of open streams. */
  readonly streams: number;
  /** Maximum bytes of bodies in memory, of all of the user's requests together. */
  readonly bytes: number;
}

/** The part of a user's share that one request has reserved. */
export interface Share {
  /** Reserves bytes before they are read. Throws Fault `rate_limited`. */
  take(bytes: number): void;
  /** Limits the rate of reading. Called after this number of bytes was read; resolves when more may be read. */
  pace(bytes: number): Promise<void>;
  /** Runs work that occupies the event loop. At most two tasks of one user and kind run at a time; further ones wait. */
  inTurn<Result>(kind: WorkKind, work: () => Result | Promise<Result>): Promise<Result>;
  /** Turns the request into an open stream: keeps its place among the user's `streams`, and releases everything else. */
  becomeStream(): void;
  /** Releases everything; a second call does nothing. */
  leave(): void;
}

/** Work that occupies the event loop: parsing a body, answering a read, or opening an agent for a turn. */
export type WorkKind = "body" | "read" | "start";

export interface UserShares {
  /**
   * Starts a request, and returns its share. `mayStream`: whether the response may be a stream. Throws Fault `rate_limited`
   * if the user's share is used up; the request then reserves nothing.
   */
  enter(userId: string, request: { readonly mayStream: boolean }): Share;
  /** Resolves when no request other than a stream is being answered, or after `ms` milliseconds. */
  requestsEnded(ms: number): Promise<void>;
  /** Resolves when no stream is open, or after `ms` milliseconds. */
  streamsEnded(ms: number): Promise<void>;
}

interface Used {
  requests: number;
  streams: number;
  bytes: number;
  /** The time, in milliseconds of `performance.now()`, before which no more of the user's bodies is read. */
  readUntil: number;
}

/** Milliseconds after which a refused client should retry, because another request of the user may have ended by then. */
const retryMs = 1000;
const minuteMs = 60_000;
/** Maximum concurrent tasks of one user and kind: two, so that one can wait for the database while the other runs. */
const maxAtWork = 2;
/**
 * A task that took `longMs` milliseconds or more keeps its place among the `maxAtWork` after its end, for `restFactor` times
 * its duration, if there are other users.
 */
const longMs = 20;
const restFactor = 3;
/** Maximum bytes of a user's bodies that are read per millisecond; faster bodies are delayed. */
const bytesPerMs = 20_000;
/** An idle user may send the bytes of this many milliseconds without delay: enough for a body of maximum length. */
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
          // The record of a user who has just sent much is kept, so that the user's next request is delayed, too.
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
  // A stream is counted from the start of its request, so that no stream is refused after its turn has run.
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
        throw beyond(`${limits.bytes} bytes of request bodies at a time`, "maxUserMegabytes");
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

/**
 * Checks the rate of a user. Refused requests count, too, so a client that repeats them at once stays refused. Throws Fault
 * `rate_limited`.
 */
function requireRate(minute: RateWindow, userId: string, max: number): void {
  const retryAfterMs = minute.waitMs(userId);
  minute.add(userId);
  if (retryAfterMs === 0) return;
  const message = `A user may send ${max} requests in a minute. Wait ${Math.ceil(retryAfterMs / 1000)} s.`;
  throw new Fault(429, "rate_limited", message, { retryAfterMs });
}

function beyond(limit: string, setting: string): Fault {
  const message = `A user may have ${limit} (\`${setting}\`). Send the request again when another one has ended.`;
  return new Fault(429, "rate_limited", message, { retryAfterMs: retryMs });
}

type OpenCount = ReturnType<typeof createOpenCount>;

function createOpenCount() {
  let open = 0;
  let notify: () => void = () => undefined;
  return {
    /** Counts a request or stream as open. Returns a function that its caller calls once, at the end of the request or stream. */
    begin(): () => void {
      open += 1;
      return () => {
        open -= 1;
        if (open === 0) notify();
      };
    },
    async ended(ms: number): Promise<void> {
      if (open === 0) return;
      const empty = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await within(empty, ms);
    },
  };
}
