// Shows loaded content on the page: a note during loading, then the content, or the error if loading failed.
import type { ComponentChildren } from "preact";
import { errorText, isKeyRefusal } from "../session/error-text.ts";
import type { Loaded } from "../session/use-loaded.ts";
import { PlainText } from "./plain-text.tsx";

interface ShownProps<Value> {
  readonly loaded: Loaded<Value>;
  /** What is shown instead of an empty list. */
  readonly empty?: string;
  readonly children: (value: Value) => ComponentChildren;
}

export function Shown<Value>({ loaded, empty, children }: ShownProps<Value>) {
  const { value, error, isLoading, reload } = loaded;
  const isEmpty = empty !== undefined && Array.isArray(value) && value.length === 0;
  return (
    <>
      <Failure error={error} retry={reload} />
      {value === undefined && isLoading ? (
        <p class="note" role="status">
          Loading…
        </p>
      ) : null}
      {isEmpty ? <p class="note">{empty}</p> : null}
      {value === undefined || isEmpty ? null : children(value)}
    </>
  );
}

interface FailureProps {
  /** The error to show; if undefined, nothing is shown. */
  readonly error: unknown;
  /** Loads the content again; absent for the error of an action. */
  readonly retry?: () => void;
}

export function Failure({ error, retry }: FailureProps) {
  if (error === undefined) return null;
  // Shows a note without a retry if the key may not read the content: another attempt would be refused, too.
  if (retry !== undefined && isKeyRefusal(error))
    return (
      <p class="note" role="status">
        <PlainText text={error.message} isInline />
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
