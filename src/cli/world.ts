// What the command line is given from outside: streams, a runtime, time and interruption.
// Invariant: nothing in this folder touches the process, so every command can be run by a test.
import type { Readable, Writable } from "node:stream";
import type { Doctor } from "../runtime/doctor.ts";
import type { EmbedderChoice } from "../runtime/embedder-choice.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The settings that commands themselves tell about. Keys are present or not: their values stay outside. */
export interface Settings {
  readonly model: string;
  readonly baseUrl: string | null;
  readonly embedding: string;
  readonly hasAnthropicKey: boolean;
  readonly hasOpenaiKey: boolean;
  /** The package is installed that runs GGUF files. */
  readonly hasLlama: boolean;
}

/** Flags that are settings, by their names without dashes. */
export type SettingFlags = Readonly<Record<string, string>>;

/** Takes one line of progress or warning, without a line end. */
export type Log = (line: string) => void;

export interface World {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Both ends are terminals that can be drawn on: the chat takes over the screen. */
  readonly isTerminal: boolean;
  /** Colours may be used on stdout: it is a terminal, and nobody has said no. */
  readonly hasColor: boolean;
  /** By its locale, the terminal shows UTF-8. */
  readonly hasUtf8: boolean;
  readonly version: string;
  /** Show stacks of errors. */
  readonly debug: boolean;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Throws ConfigError. */
  settings(flags: SettingFlags): Promise<Settings>;
  /** What can be named as `--embedding`. Throws ConfigError. */
  embedders(flags: SettingFlags): Promise<readonly EmbedderChoice[]>;
  /** Throws ConfigError and StoreError. The caller closes the runtime. */
  openRuntime(flags: SettingFlags, log: Log): Promise<Runtime>;
  /** Throws ConfigError, and nothing else: a store that cannot be opened is for the doctor to tell. The caller closes it. */
  openDoctor(flags: SettingFlags, log: Log): Promise<Doctor & { close(): Promise<void> }>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}
