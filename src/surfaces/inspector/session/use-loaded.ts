// Loads what a view shows, and loads it again when it is asked to or when what it depends on changes.
// Invariant: an answer that comes after a newer question is ignored; an invalid key ends the session.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import { useSession } from "./inspector-session.ts";

export interface Loaded<Value> {
  /** The last value, also while it is loaded again or after that failed. */
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `load` is called again when one of `dependencies` changes; these are compared by identity. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const session = useSession();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, "reload">>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const asked = useRef(dependencies);
  useEffect(() => {
    const controller = new AbortController();
    const isSame = asked.current.every((one, at) => one === dependencies[at]);
    asked.current = dependencies;
    setState(({ value }) => ({ value: isSame ? value : undefined, error: undefined, isLoading: true }));
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (error instanceof ApiError && error.status === 401) session.end(error.message);
        setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...dependencies, round]);
  return { ...state, reload: () => setRound((count) => count + 1) };
}
