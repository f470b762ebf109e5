// The process that reads files of users: PDF, HTML and the other kinds.
// Invariant: a file that cannot be read does not end the process; the answer contains the reason.
import { answerRequests } from "../../base/confined/answer-requests.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { FileReading, FileToRead } from "./file-reader.ts";
import { readSections } from "./read-sections.ts";

answerRequests<FileToRead, FileReading>(async ({ bytes, kind }) => {
  try {
    return { sections: await readSections(bytes, kind) };
  } catch (error) {
    if (error instanceof SourceFileError) return { refusal: error.message };
    throw error;
  }
});
