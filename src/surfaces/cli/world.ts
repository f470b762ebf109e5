// Defines the port of the command line to its environment: streams, configuration, runtimes, time and interruption.
// Invariant: commands use standard streams, environment variables and signals only through `World`. Tests replace it.
import type { Readable, Writable } from "node:stream";
import type { Log } from "../../base/log.ts";
import type { Doctor } from "../../runtime/doctor/contract.ts";
import type { EmbedderChoice } from "../../runtime/embedder-choice.ts";
import type { Host } from "../../runtime/host.ts";
import type { McpSetup } from "../../runtime/mcp.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { TidyingCase } from "../eval/tidying-cases.ts";
import type { ProviderChoice, Setup } from "../../runtime/setup.ts";

/** The settings that commands use. They say whether a key is configured, but do not contain keys. */
export interface Settings {
  readonly model: string;
  readonly baseUrl: string | null;
  readonly embedding: string;
  readonly theme: "auto" | "dark" | "light" | "none";
  readonly bell: "on" | "off";
  readonly terminalTitle: "on" | "off";
  readonly shellCommands: "on" | "off";
  readonly notification: "off" | "osc9" | "osc777";
  readonly statusLine: string | null;
  readonly editorKeys: "emacs" | "vim";
  readonly userId: string;
  /** The folder of the embedded store and its configuration. */
  readonly dataDir: string;
  /** Limits of one user of a server: requests, streams and bytes at a time. */
  readonly share: { readonly requests: number; readonly streams: number; readonly bytes: number };
  readonly providers: readonly ProviderChoice[];
  /** Whether the package that runs GGUF files is installed. */
  readonly hasLlama: boolean;
}

/** A setting with its value, as it may be shown, and the origin of the value. */
export interface ShownSetting {
  readonly key: string;
  /** The value as in a configuration file; for a secret, `(set)` or null. */
  readonly value: unknown;
  /** The origin of the value. `name` is the key in the file, the environment variable or the flag. */
  readonly from:
    | { readonly kind: "default" }
    | { readonly kind: "file" | "environment" | "flag"; readonly name: string };
}

export interface ShownConfiguration {
  /** The file that was read; null if there is none. */
  readonly file: string | null;
  readonly settings: readonly ShownSetting[];
}

/** Flags that are settings, by their names without dashes. */
export type SettingFlags = Readonly<Record<string, string>>;

/** The flags and environment variables with which another program can start this one with the current settings. */
export interface LaunchSettings {
  readonly dataDir: string;
  /** Flags without secrets and with absolute paths. */
  readonly flags: SettingFlags;
  /** Environment variables that the other program may lack. Their values may be secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The machine, the folders and the files of this process. */
export interface Place {
  readonly platform: string;
  readonly home: string;
  readonly workingFolder: string;
  /** The variable APPDATA, which Windows sets. */
  readonly appData: string | undefined;
  /** Absolute path of Node's executable, since desktop programs do not have the shell's PATH. */
  readonly node: string;
  readonly script: string;
}

export interface World {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether stdin and stdout are terminals on which the chat can draw. */
  readonly isTerminal: boolean;
  /** Whether a user can answer questions: `isTerminal` is true, and no other program runs this one. */
  readonly isAttended: boolean;
  /** Whether colours may be used on stdout: it is a terminal, and the user has not disabled colours. */
  readonly hasColor: boolean;
  /** The variable COLORFGBG, in which some terminals report their background; empty if it is not set. */
  readonly colorFgBg: string;
  /** Whether the terminal shows UTF-8, judged by the locale. */
  readonly hasUtf8: boolean;
  /** Whether the terminal may accept clipboard writes from a program. */
  readonly hasClipboard: boolean;
  /** The variable TERM; null if it is not set. */
  readonly terminalName: string | null;
  readonly version: string;
  /** What the user types before the arguments to start Palimpsest again, such as `palimpsest` or `npm start --`. */
  readonly command: string;
  readonly place: Place;
  /** A shell command that opens a file in the user's editor. */
  readonly editor: string;
  /** The program that opens an address in a browser, with its first arguments; null if there is no screen for a browser. */
  readonly opener: readonly string[] | null;
  /** The user's shell, which takes a command after `-c`. */
  readonly shell: string;
  /** Suspends the process group, like Ctrl+Z in a shell. Resolves when the group continues, or soon after a failure. */
  suspend(): Promise<void>;
  /** Runs `use`, which hands the terminal to another program. Meanwhile, Ctrl+C does not interrupt this process. */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Whether to print stacks of errors. */
  readonly debug: boolean;
  /** Returns milliseconds of a clock that never goes back. */
  now(): number;
  /** Returns the settings that commands use. Throws ConfigError. */
  settings(flags: SettingFlags): Promise<Settings>;
  /** Returns the effective configuration with its secrets hidden. Throws ConfigError. */
  configuration(flags: SettingFlags): Promise<ShownConfiguration>;
  /** Returns the flags and variables with which another program can start this one. Throws ConfigError. */
  launchSettings(flags: SettingFlags): Promise<LaunchSettings>;
  /** Returns the text without the secrets that the configuration refers to. */
  hide(text: string): string;
  /** Returns the possible values of `--embedding`. Throws ConfigError. */
  embedders(flags: SettingFlags): Promise<readonly EmbedderChoice[]>;
  /**
   * Opens the runtime, which the caller closes. Calls `onOpening` when it opens the store. Throws ConfigError and StoreError.
   */
  openRuntime(flags: SettingFlags, log: Log, onOpening?: () => void): Promise<Runtime>;
  /** Opens a host for many users, which the caller closes. Throws the same errors as `openRuntime`. */
  openHost(flags: SettingFlags, log: Log): Promise<Host>;
  /** Opens the doctor, which the caller closes. Throws only ConfigError: the doctor reports a store that cannot be opened. */
  openDoctor(flags: SettingFlags, log: Log): Promise<Doctor & { close(): Promise<void> }>;
  /**
   * Opens a runtime, which the caller closes, with an empty temporary store, and with the models that evaluations use
   * without a key. Throws the same errors as `openRuntime`.
   */
  openTrial(flags: SettingFlags, log: Log, cases: readonly TidyingCase[]): Promise<Runtime>;
  /** Returns the operations for choosing a model. Throws ConfigError. */
  openSetup(flags: SettingFlags, log: Log): Promise<Setup>;
  /** Returns the operations on the MCP servers of the configuration file. Throws ConfigError. */
  openMcp(flags: SettingFlags, log: Log): Promise<McpSetup>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}
