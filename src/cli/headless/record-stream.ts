// Writes the records of stream-json, numbered, a line each.
// Invariant: the numbers count the lines that were written, from 0 without a gap; an event's own number is replaced by its line's.
import type { StreamRecord } from "../../headless/stream-record.ts";
import { printJson } from "../print.ts";
import type { World } from "../world.ts";

/** Numbers are the stream's to give. */
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
      // What tells lines apart comes first in each.
      const first = { type: record.type, sequence };
      printJson(world, { ...first, ...record, sequence });
      sequence += 1;
    },
  };
}
