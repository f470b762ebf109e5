// Defines the operations on a user's synopsis, which summarizes the archive. Views of a synopsis show its cost in tokens.
// Invariant: each operation acts for the runtime's user only.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { type SynopsisContext, type SynopsisIdentity, synopsisPartFields } from "../../store/port/synopsis-store.ts";
import { chat, type Contract, read, value } from "../contract.ts";

const partFields = {
  ...synopsisPartFields,
  /** Whether the part's lifetime has expired. */
  isStale: form.flag,
  /** Number of passages that the part was made from. */
  memories: form.number,
};

/** A part of a synopsis, with the number of its passages and its cost. */
export interface SynopsisPartView<Content> extends RecordOf<typeof partFields> {
  readonly content: Content;
}

const synopsisFields = {
  /** Whether the agent's settings include the synopsis in the prompt. */
  isOn: form.flag,
  /** The part about the user's identity; null if there is none. */
  identity: form.nullable(form.object<SynopsisPartView<SynopsisIdentity>>()),
  context: form.nullable(form.object<SynopsisPartView<SynopsisContext>>()),
  /** The synopsis as a prompt contains it; null if there is none. */
  text: form.nullable(form.text),
  /** Tokens of `text`, and of the passages that it summarizes. */
  tokens: form.number,
  memoryTokens: form.number,
  /** Tokens that `text` saves compared with `memoryTokens`, in percent; negative if it is longer. Null without a text. */
  savedPercent: form.nullable(form.number),
};

export interface SynopsisView extends RecordOf<typeof synopsisFields> {}

/** Operations on the synopsis, a summary of the facts about the user in the agent's archive: docs/memory.md. */
export interface SynopsisOperations {
  /** Returns the stored synopsis of an agent. */
  show(agent: string): Promise<SynopsisView>;
  /** Regenerates both parts with one model call. Throws RequestError `synopsis_refused`; the old synopsis then stays. */
  refresh(agent: string): Promise<SynopsisView>;
  /** Deletes the synopsis, also from the prompts of conversations. Returns the number of deleted parts. */
  clear(agent: string): Promise<number>;
}

const agent = value("agent", form.text);

export const synopsisContract = {
  show: {
    args: [agent],
    http: read("GET /agents/:agent/synopsis", "Get the synopsis of the archive", synopsisFields),
  },
  refresh: {
    args: [agent],
    http: chat("POST /agents/:agent/synopsis", "Regenerate the synopsis with one model call", synopsisFields),
  },
  clear: {
    args: [agent],
    http: chat("DELETE /agents/:agent/synopsis", "Delete the synopsis, also from the prompts of conversations", null),
  },
} as const satisfies Contract<SynopsisOperations>;
