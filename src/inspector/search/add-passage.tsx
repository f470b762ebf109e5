// Adds a passage, with tags, to the archive.
import { useState } from "preact/hooks";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { tagsIn } from "./search-request.ts";

export function AddPassage({ agent, onAdded }: { readonly agent: string; readonly onAdded: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [content, setContent] = useState("");
  const [tags, setTags] = useState("");
  const add = async (): Promise<void> => {
    const isAdded = await action.run(() =>
      client.call("POST /agents/:agent/archive", {
        params: { agent },
        body: { content: content.trim(), tags: [...tagsIn(tags)] },
      }),
    );
    if (!isAdded) return;
    setContent("");
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
          <textarea rows={3} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
        </label>
        <label>
          Tags, separated by commas{" "}
          <input type="text" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="submit" class="main" disabled={content.trim() === "" || action.isRunning}>
            Add
          </button>
        </div>
      </form>
    </details>
  );
}
