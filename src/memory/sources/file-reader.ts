// Reads files in a separate process, which is ended at a limit: reading a small file can take minutes and gigabytes.
// Invariant: a file that exceeds a limit is refused with the limit, like any other file that cannot be read.
import { createConfinedWork, type WorkLimits } from "../../base/confined/confined-process.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { SourceFileKind } from "../../store/port/source-store.ts";
import type { Section } from "./section.ts";

export interface FileToRead {
  readonly bytes: Uint8Array;
  readonly kind: SourceFileKind;
}

export type FileReading = { readonly sections: readonly Section[] } | { readonly refusal: string };

/** Returns the sections of a file. Throws SourceFileError, or the signal's reason if it was aborted. */
export type ReadFile = (file: FileToRead, signal?: AbortSignal) => Promise<readonly Section[]>;

/** Limits for reading one file. A book of 1,000 pages takes two seconds and 200 MB. */
export const fileLimits: WorkLimits = { seconds: 10, megabytes: 400 };

export function createFileReader(limits = fileLimits): ReadFile {
  const work = createConfinedWork<FileToRead, FileReading>({ module: "memory/sources/read-file-main", limits });
  return async (file, signal) => {
    const outcome = await work.run(file, signal);
    if (!outcome.isDone) throw new SourceFileError(excess(outcome.exceeded, limits));
    if ("refusal" in outcome.reply) throw new SourceFileError(outcome.reply.refusal);
    return outcome.reply.sections;
  };
}

function excess(exceeded: keyof WorkLimits, { seconds, megabytes }: WorkLimits): string {
  const limit = exceeded === "seconds" ? `${seconds} seconds` : `${megabytes} MB of memory`;
  return `reading it takes more than ${limit}. Split the file, or convert it to text`;
}
