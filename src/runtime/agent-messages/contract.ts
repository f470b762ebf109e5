// Defines the operations on messages that agents write to each other: list them, and deliver those that wait.
// Invariant: each operation acts for the runtime's user only.
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import { type AgentMessageRecord, namedMessageFields } from "../../store/port/agent-message-store.ts";
import { type Contract, optionalOptions, read, value } from "../contract.ts";

export const messageListOptions = {
  /** Maximum number of messages. Default 50. */
  limit: form.count,
  /** The id of the first turn of a chain: returns only the messages of this chain. */
  chainId: form.id,
};

export interface MessageListOptions extends OptionsOf<typeof messageListOptions> {}

/** The operations on messages that agents write with `message_agent` and `reply` (docs/agents-together.md). */
export interface AgentMessageOperations {
  /** Returns the messages from and to an agent, newest first. Throws RequestError `agent_not_found`. */
  list(agent: string, options?: MessageListOptions): Promise<readonly AgentMessageRecord[]>;
  /**
   * Delivers waiting messages, and continues turns that answer a message and whose process has ended. The turns run in the
   * background: `idle` waits for the turns. Servers, and processes in which an agent writes a message, deliver by themselves.
   */
  deliver(): Promise<void>;
}

export const agentMessageContract = {
  list: {
    args: [value("agent", form.text), optionalOptions(messageListOptions)],
    http: read("GET /agents/:agent/messages", "List the messages from and to an agent, newest first", [
      namedMessageFields,
    ]),
  },
  deliver: { args: [], http: "A server delivers messages itself." },
} as const satisfies Contract<AgentMessageOperations>;
