// Defines the options and the results of the functions that run turns.
// Invariant: pure; the checks of the options and the JSON of `/api` are derived from these tables.
import { signal } from "../base/arguments/argument-checks.ts";
import { fileInput } from "../base/arguments/file-input.ts";
import { form, type OptionsOf } from "../base/arguments/forms.ts";
import type { FileInput } from "../base/message/file-part.ts";
import { trustForm } from "../store/port/records.ts";
import type { JsonParameterSchema } from "../tool/tool.ts";
import type { AgentEvent, TurnEnd } from "./events.ts";

const files = form.list(form.program<FileInput>(fileInput), "Pass `files: [file]`, also for one file.");

export const sentMessage = {
  /**
   * Who wrote the message. `user` (the default): the user. `system`: the program that runs the agent; the model is told so,
   * and neither recall nor anything else treats the text as the user's.
   */
  role: form.choice("user", "system"),
  /** May be blank if there are files. */
  text: form.text,
  /**
   * The trust class of the text. Default `user`. Pass a lower class for text from a model or from outside. Send such
   * text in a separate message without files, because text beside files counts as written by the user.
   */
  trust: trustForm,
  /** The writer's name, if several people or programs write: 1 to 200 characters. */
  name: form.text,
  /** The same as `SendOptions.files`. */
  files,
  /**
   * The same as `SendOptions.idempotencyKey`. If an earlier call used all keys of this call, this call writes nothing, and
   * reads the events of the earlier call's turn.
   */
  idempotencyKey: form.text,
};

/** A message of an input. */
export interface SentMessage extends OptionsOf<typeof sentMessage, "text"> {}

const messageNames = { content: "Use `text`.", speaker: "Use `name`." };

export const sentMessages = {
  messages: form.list(
    form.options(sentMessage, { required: ["text"], otherNames: messageNames }),
    "Pass `messages: [message]`, also for one message.",
  ),
};

/** Messages that are committed together, in their order, and answered in one turn: at least one, at most 100. */
export interface SentMessages extends OptionsOf<typeof sentMessages, "messages"> {}

const clientTool = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: form.text,
  /** What the tool does and when to use it, for the model. */
  description: form.text,
  parameters: form.object<JsonParameterSchema>(),
};

/** A tool that the caller runs. */
export interface ClientTool extends OptionsOf<typeof clientTool, keyof typeof clientTool> {}

export const turnOptions = {
  /** Overrides the agent's `maxTurnTokens` and `maxTurnDollars` for this turn; null removes a limit. */
  budget: form.options({ tokens: form.nullable(form.number), dollars: form.nullable(form.number) }),
  /** Overrides the agent's `maxSteps` for this turn: 1 or more. */
  maxSteps: form.number,
  /**
   * The model that answers this turn, in the form of an agent's `model`; the agent keeps its own. Pass it again with
   * the call that continues the turn, except with `resume({ turnId })`. Throws ConfigError, before anything is written,
   * for a model that cannot be used.
   */
  model: form.text,
  /** The system prompt of this turn; the agent keeps its own. Pass it again like `model`. */
  systemPrompt: form.text,
  /**
   * Tools that the caller runs, for this turn only; they replace tools of the agent with the same names. Their calls wait
   * (`Agent.pendingResults`) until `Agent.answer` gives the results. Pass them again with the call that continues the turn.
   */
  clientTools: form.list(
    form.options(clientTool, {
      required: ["name", "description", "parameters"],
      otherNames: { inputSchema: "Use `parameters`." },
    }),
    "Pass `clientTools: [tool]`, also for one tool.",
  ),
};

export const turnNotes = {
  /** Whether the turn runs in the background. */
  isBackground: form.flag,
  /** A JSON object for the caller's own use, at most 100,000 code points. Replaces the previous object. */
  metadata: form.object(),
};

/** The options that only programs can pass, and `/api` cannot. */
export const ownTurnOptions = {
  /** Interrupts the turn: the received part of the reply is kept, and the turn ends as `interrupted`. */
  signal: form.program<AbortSignal>(signal),
  /** Maximum wait for another process's turn in the conversation, in milliseconds. Default: the runtime's `wait`. */
  waitMs: form.number,
};

/** Options of every operation that runs a turn. */
export interface TurnOptions extends OptionsOf<typeof turnOptions & typeof ownTurnOptions> {}

export const sendOptions = {
  ...turnOptions,
  ...ownTurnOptions,
  /** Files to attach to the text. All files are stored before anything else is written. If one is refused, the call fails. */
  files,
  /** A key that the conversation accepts once: a repeated call writes nothing and reads the events of the first call's turn. */
  idempotencyKey: form.text,
  /**
   * What the input does to calls of the last turn that still wait. `supersede`, the default: they are not run. `refuse`: the
   * input is refused with RequestError `approval_pending`.
   */
  onWaiting: form.choice("supersede", "refuse"),
  /**
   * The id of the message after which the input is committed; null: before the first message. The later messages become a
   * branch, as by `Agent.switchTo`; if the input is refused, they stay. Default: the newest message.
   */
  afterMessage: form.nullable(form.id),
  /** The caller's notes about the turn, as `runtime.turns.annotate` stores them; also stored while the input is queued. */
  notes: form.options(turnNotes),
};

/** Options of a turn that begins with an input. If the input is several messages, each has its own files and key. */
export interface SendOptions extends OptionsOf<typeof sendOptions> {}

export const callResult = form.options(
  {
    callId: form.text,
    status: form.choice("ok", "failed"),
    /** The result as text for the model. */
    text: form.text,
    /** What the caller's code printed: at most 10,000 code points of each output are stored, and the model sees none of it. */
    printed: form.options({ stdout: form.text, stderr: form.text }, { required: ["stdout", "stderr"] }),
  },
  { required: ["callId", "status", "text"] },
);

/** What a call of a client tool returned. */
export interface CallResult extends OptionsOf<typeof callResult.fields, (typeof callResult.required)[number]> {}

/**
 * The events of a turn, which begins when the first one is read. Awaiting the object resolves with the last event. If a reader
 * leaves, or does not read for a second, the turn continues in the background. The signal of the turn's options stops the turn.
 */
export interface TurnEvents<End extends TurnEnd = TurnEnd> extends AsyncGenerator<AgentEvent, void>, PromiseLike<End> {
  /** The text for the user, in pieces; a retried reply begins again. Afterwards, awaiting the turn returns its last event. */
  readonly textStream: AsyncIterable<string>;
}

/** A turn that runs, or will run, in the background. */
export interface StartedTurn {
  readonly id: string;
  /** Returns the events of this turn, like `Agent.events`. */
  events(options?: ReadOptions): AsyncGenerator<AgentEvent, void>;
}

export const readOptions = {
  /** Reads the events after the event with this number. Default 0: all events. */
  after: form.ordinal,
  /** Ends the reading, not the turn. */
  signal: form.program<AbortSignal>(signal),
};

export interface ReadOptions extends OptionsOf<typeof readOptions> {}
