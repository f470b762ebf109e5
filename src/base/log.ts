// Defines the log of a runtime: lines for the operator.

/** Receives one line, without a line end. Level `info`: progress or a recovery; no level: a warning. */
export type Log = (line: string, level?: "info") => void;
