// Adds a passage, with tags, to an archive or a source.
import { useState } from "preact/hooks";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { addPassage, type PassageHome } from "./passage-home.ts";
import { tagsIn } from "./tags-in.ts";

export function AddPassage({ home, onAdded }: { readonly home: PassageHome; readonly onAdded: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [text, setText] = useState("");
  const [tags, setTags] = useState("");
  const add = async (): Promise<void> => {
    const isAdded = await action.run(() => addPassage(client, home, { text: text.trim(), tags: tagsIn(tags) }));
    if (!isAdded) return;
    setText("");
    setTags("");
    onAdded();
  };
  return (
    <details>
      <summary>Add a passage</summary>
      {action.error === undefined ? null : <Failure error={action.error} />}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label>
          Text
          <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          Tags, separated by commas{" "}
          <input type="text" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="submit" class="main" disabled={text.trim() === "" || action.isRunning}>
            Add
          </button>
        </div>
      </form>
    </details>
  );
}
