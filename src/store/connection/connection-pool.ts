// The connections to one database, kept for the next transaction.
// Invariant: a channel is with one taker at a time, there are never more than `size`, and one that is gone is not handed out.
import { type Channel, lostError } from "./connection.ts";

export interface ChannelPool {
  /** Waits for its turn when all are taken. Rejects when no connection can be made, or when the pool was closed. */
  take(): Promise<Channel>;
  /** To be called once for each that was taken. One that is spoiled is ended, and not used again. */
  giveBack(channel: Channel, condition: "clean" | "spoiled"): void;
  /** Ends all connections; those that are taken have so many seconds to be given back. */
  close(graceSeconds: number): Promise<void>;
}

export function createChannelPool(open: () => Promise<Channel>, size: number): ChannelPool {
  const places = createPlaces(size);
  const idle: Channel[] = [];
  const taken = new Set<Channel>();
  const endings = new Set<Promise<void>>();
  let isClosed = false;

  const end = (channel: Channel, graceSeconds: number): void => {
    const ending = channel.close(graceSeconds).finally(() => endings.delete(ending));
    endings.add(ending);
  };

  /** The one that was used last, which knows the statements; those that died meanwhile are left behind. */
  const takeIdle = (): Channel | undefined => {
    for (let channel = idle.pop(); channel !== undefined; channel = idle.pop()) {
      if (!channel.isLost()) return channel;
      end(channel, 0);
    }
    return undefined;
  };

  const openOne = async (): Promise<Channel> => {
    const channel = await open();
    if (!isClosed) return channel;
    await channel.close(0);
    throw lostError();
  };

  return {
    async take() {
      await places.take();
      try {
        if (isClosed) throw lostError();
        const channel = takeIdle() ?? (await openOne());
        taken.add(channel);
        return channel;
      } catch (error) {
        places.free();
        throw error;
      }
    },
    giveBack(channel, condition) {
      taken.delete(channel);
      if (isClosed || condition === "spoiled") end(channel, 0);
      else idle.push(channel);
      places.free();
    },
    async close(graceSeconds) {
      await within(places.allFree(), graceSeconds);
      isClosed = true;
      for (const channel of idle.splice(0)) end(channel, graceSeconds);
      for (const channel of taken) end(channel, 0);
      await Promise.all(endings);
    },
  };
}

interface Places {
  /** Waits until there is one, in the order of asking. */
  take(): Promise<void>;
  free(): void;
  /** Resolves when none is taken. */
  allFree(): Promise<void>;
}

function createPlaces(size: number): Places {
  const waiting: (() => void)[] = [];
  const watching: (() => void)[] = [];
  let left = size;
  return {
    async take() {
      if (left === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      left -= 1;
    },
    free() {
      const next = waiting.shift();
      if (next !== undefined) return next();
      left += 1;
      if (left === size) for (const tell of watching.splice(0)) tell();
    },
    async allFree() {
      if (left < size) return new Promise<void>((resolve) => watching.push(resolve));
    },
  };
}

async function within(promise: Promise<void>, seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
