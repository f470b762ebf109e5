// The lines of stream-json as a program reads them, checked on the way.
// Invariant: every line is one that the schema knows, whole and without a field too many; numbers have no gap.
import { streamRecordSchema, type StreamRecord } from "../../src/surfaces/stream/headless/stream-record.ts";

/** Throws for output that breaks a promise of the format, and says which. */
export function readStream(stdout: string): readonly StreamRecord[] {
  if (!stdout.endsWith("\n")) throw new Error(`The last line has no end: ${stdout.slice(-80)}`);
  const lines = stdout.slice(0, -1).split("\n");
  return lines.map((line, index) => {
    if (/[\p{Cc}\u2028\u2029]/u.test(line)) throw new Error(`Line ${index} has a control character.`);
    const value: unknown = JSON.parse(line);
    const record = streamRecordSchema.parse(value);
    const [told, known] = [value, record].map((one) => JSON.stringify(one, sortedKeys));
    if (told !== known) throw new Error(`Line ${index} has what the schema does not: ${line}`);
    if (record.sequence !== index) throw new Error(`Line ${index} has the number ${record.sequence}.`);
    return record;
  });
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The kinds of the lines, in order. */
export const kindsOf = (records: readonly StreamRecord[]): readonly string[] => records.map(({ type }) => type);

/** The last line. */
export function resultOf(records: readonly StreamRecord[]): Extract<StreamRecord, { type: "result" }> {
  const last = records.at(-1);
  if (last?.type !== "result") throw new Error(`The last line is no result: ${JSON.stringify(last)}`);
  return last;
}

/** One line of input, as JSON. */
export const inputLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

export const userLine = (content: string): string => inputLine({ type: "user", message: { role: "user", content } });

export const controlLine = (request_id: string, request: object): string =>
  inputLine({ type: "control_request", request_id, request });
