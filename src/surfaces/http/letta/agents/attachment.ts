// A change of what is attached to an agent.

export interface Attachment {
  /** The UUIDs of the agent and of what is attached. */
  readonly agent: string;
  readonly id: string;
  readonly isWanted: boolean;
}
