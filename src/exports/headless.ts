// `palimpsest/headless`: schemas of the lines that a program exchanges with the command in headless mode.
export { type StreamInput, streamInputSchema } from "../surfaces/stream/headless/stream-input.ts";
export { type StreamRecord, streamJsonVersion, streamRecordSchema } from "../surfaces/stream/headless/stream-record.ts";
