// `palimpsest/headless`: schemas of the lines that a program exchanges with the command in headless mode.
export { type StreamInput, streamInputSchema } from "../headless/stream-input.ts";
export { type StreamRecord, streamJsonVersion, streamRecordSchema } from "../headless/stream-record.ts";
