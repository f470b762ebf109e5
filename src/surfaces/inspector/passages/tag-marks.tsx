// Shows the tags of a passage, and a field to change them.
// Invariant: if the server refuses tags, the stored tags are shown, and the user's text stays in the field.
import { useState } from "preact/hooks";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { submitting, typed, useAction } from "../session/use-action.ts";
import { type PassageHome, setTags } from "./passage-home.ts";
import { tagsIn } from "./tags-in.ts";

interface TagMarksProps {
  readonly home: PassageHome;
  readonly passage: string;
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}

export function TagMarks(props: TagMarksProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {props.tags.map((tag) => (
        <span key={tag} class="mark">
          #<PlainText text={tag} length={60} isInline />
        </span>
      ))}
      {isOpen ? (
        <TagField {...props} onEnd={() => setOpen(false)} />
      ) : (
        <button type="button" class="quiet tag-button" onClick={() => setOpen(true)}>
          {props.tags.length === 0 ? "Add tags" : "Change tags"}
        </button>
      )}
    </>
  );
}

function TagField({ home, passage, tags, onChange, onEnd }: TagMarksProps & { readonly onEnd: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [text, setText] = useState(tags.join(", "));
  const save = async (): Promise<void> => {
    const wanted = [...new Set(tagsIn(text))];
    if (!(await action.run(() => setTags(client, home, { passage, tags: wanted })))) return;
    onChange(wanted);
    onEnd();
  };
  return (
    <form class="tag-field" onSubmit={submitting(save)}>
      <label>
        <span class="off-screen">Tags of the passage, separated by commas</span>
        <input
          type="text"
          value={text}
          ref={(element) => void (element !== null && text === tags.join(", ") && element.focus())}
          onInput={typed(setText)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onEnd();
          }}
        />
      </label>
      <button type="submit" class="main" disabled={action.isRunning}>
        Save tags
      </button>
      <button type="button" onClick={onEnd}>
        Cancel
      </button>
      <Failure error={action.error} />
    </form>
  );
}
