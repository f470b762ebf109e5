// Identifies a program that changes memory for the user outside of a turn.
import { form, type RecordOf } from "../base/arguments/forms.ts";
import { trustForm } from "../store/port/records.ts";

/** The program's name, such as that of an MCP client, and the trust class that the user gave it. */
export const writerFields = { client: form.text, trust: trustForm };

export interface Writer extends RecordOf<typeof writerFields> {}
