// Loads what a view shows, and loads it again on request or when a dependency changes.
// Invariant: an answer to an older request is ignored; an invalid key ends the session.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import type { CallName, CallResult, RequestArgument } from "../../client/api-types.ts";
import { useSession } from "./inspector-session.ts";

export interface Loaded<Value> {
  /** The last loaded value, kept while it is loaded again and if this fails. Undefined after a dependency changed. */
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Returns the result of `load`, which is called again when one of `dependencies`, compared by identity, changes. */
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

/** Returns the result of a route, which is called again when the route or the request changes. */
export function useCall<Name extends CallName>(
  name: Name,
  ...[request]: RequestArgument<Name>
): Loaded<CallResult<Name>> {
  const { client } = useSession();
  return useLoaded(
    (signal) => (client.call as unknown as Call<Name>)(name, { ...request, signal }),
    [client, name, JSON.stringify(request)],
  );
}

/** The type of `client.call` for a request with the signal, which the compiler cannot derive for an arbitrary route. */
type Call<Name extends CallName> = (name: Name, request: object) => Promise<CallResult<Name>>;
