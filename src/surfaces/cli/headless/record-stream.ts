// Writes the records of stream-json, numbered, one per line.
// Invariant: the numbers count the written lines, from 0 without a gap; they replace the events' own numbers.
import type { StreamRecord } from "../../stream/headless/stream-record.ts";
import { printJson } from "../print.ts";
import type { World } from "../world.ts";

/** A record without its number, which the stream assigns. */
export type UnnumberedRecord = StreamRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, "sequence">
    : never
  : never;

export interface RecordStream {
  write(record: UnnumberedRecord): void;
}

export function createRecordStream(world: World): RecordStream {
  let sequence = 0;
  return {
    write(record) {
      // The fields that identify a line come first.
      const first = { type: record.type, sequence };
      printJson(world, { ...first, ...record, sequence });
      sequence += 1;
    },
  };
}
