// What the command line is given from outside: streams, a runtime, time and interruption.
// Invariant: nothing in this folder touches the process, so every command can be run by a test.
import type { Readable, Writable } from "node:stream";
import type { Doctor } from "../../runtime/doctor/contract.ts";
import type { EmbedderChoice } from "../../runtime/embedder-choice.ts";
import type { Host } from "../../runtime/host.ts";
import type { McpSetup } from "../../runtime/mcp.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ProviderChoice, Setup } from "../../runtime/setup.ts";

/** The settings that commands themselves tell about. Keys are present or not: their values stay outside. */
export interface Settings {
  readonly model: string;
  readonly baseUrl: string | null;
  readonly embedding: string;
  readonly theme: "auto" | "dark" | "light" | "none";
  readonly bell: "on" | "off";
  readonly terminalTitle: "on" | "off";
  readonly shellCommands: "on" | "off";
  readonly userId: string;
  /** Where the embedded store is, with its configuration. */
  readonly dataDir: string;
  /** What one user may use of a server at a time. */
  readonly share: { readonly requests: number; readonly streams: number; readonly bytes: number };
  readonly providers: readonly ProviderChoice[];
  /** The package is installed that runs GGUF files. */
  readonly hasLlama: boolean;
}

/** A setting with its value, as it may be shown, and where that comes from. */
export interface ShownSetting {
  readonly key: string;
  /** As in a configuration file; of a secret `(set)`, or null. */
  readonly value: unknown;
  /** `name`: a key of the file, a variable of the environment, a flag. */
  readonly from:
    | { readonly kind: "default" }
    | { readonly kind: "file" | "environment" | "flag"; readonly name: string };
}

export interface ShownConfiguration {
  /** The file that was read; null when there is none. */
  readonly file: string | null;
  readonly settings: readonly ShownSetting[];
}

/** Flags that are settings, by their names without dashes. */
export type SettingFlags = Readonly<Record<string, string>>;

/** What another program needs to start this one with the settings now in effect. */
export interface LaunchSettings {
  readonly dataDir: string;
  /** Without secrets, and with absolute paths. */
  readonly flags: SettingFlags;
  /** Variables of the environment that the other program may not have. They may be secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Takes one line of progress or warning, without a line end. */
export type Log = (line: string) => void;

/** Where this program runs. */
export interface Place {
  readonly platform: string;
  readonly home: string;
  readonly workingFolder: string;
  /** %APPDATA% of Windows. */
  readonly appData: string | undefined;
  /** Absolute paths: programs with windows do not have the shell's PATH. */
  readonly node: string;
  readonly script: string;
}

export interface World {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Both ends are terminals that can be drawn on: the chat takes over the screen. */
  readonly isTerminal: boolean;
  /** Such terminals, and nothing says that a program runs this: a person can be asked. */
  readonly isAttended: boolean;
  /** Colours may be used on stdout: it is a terminal, and nobody has said no. */
  readonly hasColor: boolean;
  /** COLORFGBG, by which some terminals tell their background; empty when they do not. */
  readonly colorFgBg: string;
  /** By its locale, the terminal shows UTF-8. */
  readonly hasUtf8: boolean;
  /** The terminal may take text for the clipboard from a program. */
  readonly hasClipboard: boolean;
  /** `TERM` of the environment; null when it is not set. */
  readonly terminalName: string | null;
  readonly version: string;
  /** What the user types before the arguments to start this program again, such as `palimpsest` or `npm start --`. */
  readonly command: string;
  readonly place: Place;
  /** A command of the shell that opens a file to be edited. */
  readonly editor: string;
  /** What opens an address in a browser, as a program with its first arguments; null if there is no screen for one. */
  readonly opener: readonly string[] | null;
  /** The user's shell, which takes a command after `-c`. */
  readonly shell: string;
  /** Stops this process with all of its group, as the shell's Ctrl+Z does, until it is continued. At once where that cannot be. */
  suspend(): Promise<void>;
  /** Lets somebody else have the terminal: until the end of `use`, its Ctrl+C does not interrupt this process. */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Show stacks of errors. */
  readonly debug: boolean;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Throws ConfigError. */
  settings(flags: SettingFlags): Promise<Settings>;
  /** The configuration that holds, with its secrets hidden. Throws ConfigError. */
  configuration(flags: SettingFlags): Promise<ShownConfiguration>;
  /** Throws ConfigError. */
  launchSettings(flags: SettingFlags): Promise<LaunchSettings>;
  /** A text without the secrets that the configuration refers to. */
  hide(text: string): string;
  /** What can be named as `--embedding`. Throws ConfigError. */
  embedders(flags: SettingFlags): Promise<readonly EmbedderChoice[]>;
  /** Throws ConfigError and StoreError. `onOpening` is called when the store begins to open. The caller closes the runtime. */
  openRuntime(flags: SettingFlags, log: Log, onOpening?: () => void): Promise<Runtime>;
  /** A host for many users. Throws as `openRuntime`. The caller closes it. */
  openHost(flags: SettingFlags, log: Log): Promise<Host>;
  /** Throws ConfigError, and nothing else: a store that cannot be opened is for the doctor to tell. The caller closes it. */
  openDoctor(flags: SettingFlags, log: Log): Promise<Doctor & { close(): Promise<void> }>;
  /** A runtime for evaluations, over an empty temporary store. Throws as `openRuntime`. The caller closes it. */
  openTrial(flags: SettingFlags, log: Log): Promise<Runtime>;
  /** For choosing a model. Throws ConfigError. */
  openSetup(flags: SettingFlags, log: Log): Promise<Setup>;
  /** For the MCP servers of the configuration file. Throws ConfigError. */
  openMcp(flags: SettingFlags, log: Log): Promise<McpSetup>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}
