// A part of the page whose content is loaded: a note while it loads, the error if that failed, else the content.
import type { ComponentChildren } from "preact";
import { errorText, isKeyRefusal, pageText } from "../session/error-text.ts";
import type { Loaded } from "../session/use-loaded.ts";
import { PlainText } from "./plain-text.tsx";

interface ShownProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

export function Shown<Value>({ loaded, children }: ShownProps<Value>) {
  const { value, error, isLoading, reload } = loaded;
  return (
    <>
      <Failure error={error} retry={reload} />
      {value === undefined && isLoading ? (
        <p class="note" role="status">
          Loading…
        </p>
      ) : null}
      {value === undefined ? null : children(value)}
    </>
  );
}

interface FailureProps {
  /** Undefined: there is no error, and nothing is shown. */
  readonly error: unknown;
  /** Loads again; absent if an action has failed. */
  readonly retry?: () => void;
}

export function Failure({ error, retry }: FailureProps) {
  if (error === undefined) return null;
  // What the key may not read is not a failure of the page, and another attempt does not help.
  if (retry !== undefined && isKeyRefusal(error))
    return (
      <p class="note" role="status">
        <PlainText text={pageText(error.message)} isInline />
      </p>
    );
  return (
    <div class="failure" role="alert">
      <PlainText text={errorText(error)} />
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
