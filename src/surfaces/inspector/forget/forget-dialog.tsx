// Forgets a text everywhere, after showing every place that holds the text.
// Invariant: a place is shown before the text is removed from it.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import type { ForgottenPlace } from "../../../store/port/forgetting-store.ts";
import { Dialog } from "../parts/dialog.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";

/** A message or a passage to forget as a whole. */
export interface ForgottenItem {
  readonly kind: "message" | "passage";
  readonly id: string;
}

/** Returns a function that opens the dialog for an item, and the dialog while it is open. */
export function useForgetting(onForgotten: () => void) {
  const [item, setItem] = useState<ForgottenItem | null>(null);
  const dialog =
    item === null ? null : <ForgetDialog item={item} onClose={() => setItem(null)} onForgotten={onForgotten} />;
  return { forget: setItem, dialog };
}

interface ForgetDialogProps {
  /** The text that is in the field at first. */
  readonly text?: string;
  /** The item to forget instead of a text. */
  readonly item?: ForgottenItem;
  /** Also called before `onForgotten`. */
  readonly onClose: () => void;
  readonly onForgotten: () => void;
}

type Preview = CallResult<"POST /forget/preview">;

export function ForgetDialog({ text: first = "", item, onClose, onForgotten }: ForgetDialogProps) {
  const { client } = useSession();
  const [text, setText] = useState(first);
  const [preview, setPreview] = useState<Preview | null>(null);
  const action = useAction();
  const request = requestOf(text, item);
  const look = () => action.run(async () => setPreview(await client.call("POST /forget/preview", { body: request })));
  const forget = () =>
    action.run(async () => {
      await client.call("POST /forget", { body: request });
      onClose();
      onForgotten();
    });
  const places = (preview?.places ?? []) as unknown as readonly ForgottenPlace[];
  const actions =
    preview === null ? (
      <button
        type="button"
        class="main"
        disabled={action.isRunning || (item === undefined && text.trim() === "")}
        onClick={look}
      >
        Show where it is
      </button>
    ) : (
      <button type="button" class="danger" disabled={action.isRunning || places.length === 0} onClick={forget}>
        Forget in {countText(places.length, "place")}
      </button>
    );
  return (
    <Dialog title="Forget" onClose={onClose} actions={actions} closeLabel="Cancel">
      <Failure error={action.error} />
      {item === undefined ? (
        <>
          <label for="forget-text">Text to remove from every place that holds it</label>
          <textarea
            id="forget-text"
            rows={2}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setPreview(null);
            }}
          />
        </>
      ) : (
        <p>The {item.kind} as a whole, and every copy of its text.</p>
      )}
      <p class="note">This cannot be undone. Running turns are interrupted.</p>
      {preview === null ? null : <Places places={places} preview={preview} />}
    </Dialog>
  );
}

function requestOf(text: string, item: ForgetDialogProps["item"]) {
  if (item === undefined) return { texts: [text.trim()] };
  return item.kind === "message" ? { messages: [item.id] } : { passages: [item.id] };
}

function Places({ places, preview }: { readonly places: readonly ForgottenPlace[]; readonly preview: Preview }) {
  return (
    <>
      {places.length === 0 ? <p>Nothing holds this text.</p> : null}
      <ul class="plain" aria-label="Places">
        {places.map(({ kind, id, excerpt, effect }, at) => (
          <li key={at}>
            <span class="mark">will be {effect}</span> {kind === "other" ? "" : `${kind} `}
            <PlainText text={id} length={120} isInline />
            {excerpt === null ? null : (
              <>
                {": "}
                <PlainText text={excerpt} length={300} isInline />
              </>
            )}
          </li>
        ))}
      </ul>
      {preview.outOfReach.map((sentence) => (
        <p key={sentence} class="note">
          <PlainText text={sentence} isInline />
        </p>
      ))}
    </>
  );
}
