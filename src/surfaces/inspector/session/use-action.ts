// Runs an action of the user, but not twice at the same time, and keeps the error of the last run.
import { useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import { useSession } from "./inspector-session.ts";

export interface Action {
  readonly isRunning: boolean;
  readonly error: unknown;
  /** Runs the action, and resolves to whether it succeeded. While it runs, another call does nothing and resolves to false. */
  readonly run: (step: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const session = useSession();
  const [state, setState] = useState<Omit<Action, "run">>({ isRunning: false, error: undefined });
  return {
    ...state,
    async run(step) {
      if (state.isRunning) return false;
      setState({ isRunning: true, error: undefined });
      try {
        await step();
        setState({ isRunning: false, error: undefined });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) session.end(error.message);
        setState({ isRunning: false, error });
        return false;
      }
    },
  };
}

/** Returns the handler of a form that runs `act` when the form is submitted. */
export function submitting(act: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}

/** Returns the handler of a field that passes the field's text to `set`. */
export function typed(set: (text: string) => unknown): (event: FieldEvent) => void {
  return ({ currentTarget }) => void set(currentTarget.value);
}

interface FieldEvent {
  readonly currentTarget: { readonly value: string };
}

export interface Change extends Omit<Action, "run"> {
  /** Runs a change of shown records. If the change succeeds, the records are loaded again. */
  readonly act: (step: () => Promise<unknown>) => void;
}

export function useChange(onChange: () => void): Change {
  const { run, ...state } = useAction();
  const act = (step: () => Promise<unknown>) =>
    void run(async () => {
      await step();
      onChange();
    });
  return { ...state, act };
}
