// A tool call as the stand-in plans it, before the protocol gives it its final form.

/** One call. `input` is an object, or JSON text that a person wrote and that is passed on unchanged. */
export interface PlannedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** A call of a search tool. */
export interface SearchCall extends PlannedCall {
  readonly input: Readonly<Record<string, unknown>>;
}
