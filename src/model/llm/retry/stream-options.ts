// Options of a model's `stream`: the port's own, and an activity callback for the retry layer.

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /**
   * Called for every chunk that arrives, also for those that yield no event: the arguments of a tool call can stream
   * for minutes before the call is complete. For a model that never calls it, events count as activity.
   */
  readonly onActivity?: () => void;
}
