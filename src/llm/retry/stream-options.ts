// What a model's `stream` is called with: the port's options, and a sign of life that only the retry layer asks for.

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /**
   * Called for every piece that arrives, also for those that yield no event: the arguments of a tool call can stream
   * for minutes before the call is whole. A model that never calls it is judged by its events.
   */
  readonly onActivity?: () => void;
}
