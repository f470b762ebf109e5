// Lists all passages of an archive or a source, newest first, and loads them page by page as the user scrolls. The user can
// change the tags of a passage, delete it and forget it.
import { useRef, useState } from "preact/hooks";
import { useForgetting } from "../forget/forget-dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { WhyButton } from "../parts/why-button.tsx";
import { useSession } from "../session/inspector-session.ts";
import { submitting, typed, useAction, useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import {
  addPassage,
  countPassages,
  deletePassage,
  listPassages,
  type Passage,
  type PassageHome,
} from "./passage-home.ts";
import { PassageCause } from "./passage-cause.tsx";
import { TagMarks } from "./tag-marks.tsx";
import { tagsIn } from "./tags-in.ts";

export function PassageList({ home }: { readonly home: PassageHome }) {
  const { first, rows, total, more, loadMore, change } = usePassages(home);
  const { forget, dialog } = useForgetting(first.reload);
  return (
    <>
      <AddPassage home={home} onAdded={first.reload} />
      <Shown loaded={first}>
        {() =>
          total === 0 ? (
            <p class="note">There are no passages.</p>
          ) : (
            <>
              <p class="note">{countText(total, "passage")}, newest first</p>
              <Failure error={more.error} retry={loadMore} />
              <VirtualList label="Passages" items={rows} keyOf={({ id }) => id} estimate={90} onEnd={loadMore}>
                {(passage) => (
                  <PassageRow
                    home={home}
                    passage={passage}
                    onForget={() => forget({ kind: "passage", id: passage.id })}
                    onChange={(tags) => change(passage.id, tags)}
                  />
                )}
              </VirtualList>
            </>
          )
        }
      </Shown>
      {dialog}
    </>
  );
}

interface PassageRowProps {
  readonly home: PassageHome;
  readonly passage: Passage;
  readonly onForget: () => void;
  /** Called with the new tags, or with null if the passage was deleted. */
  readonly onChange: (tags: readonly string[] | null) => void;
}

function PassageRow({ home, passage, onForget, onChange }: PassageRowProps) {
  const { client } = useSession();
  const action = useChange(() => onChange(null));
  const { id, text, tags, kind, importance, trust, at } = passage;
  const remove = () => action.act(() => deletePassage(client, home, id));
  return (
    <article class="message" tabIndex={-1} data-item>
      <PlainText text={text} length={2000} />
      <div class="message-head">
        <span class="note">
          <Moment at={at} />, {kind}, importance {importance}
        </span>
        <TrustMark trust={trust} />
        <TagMarks home={home} passage={id} tags={tags} onChange={onChange} />
        <span class="row-actions">
          {"agent" in home ? (
            <WhyButton>{(close) => <PassageCause agent={home.agent} passage={passage} onClose={close} />}</WhyButton>
          ) : null}
          <button type="button" class="quiet" disabled={action.isRunning} onClick={remove}>
            <Icon name="remove" /> Delete
          </button>
          <button type="button" class="quiet danger" onClick={onForget}>
            <Icon name="forget" /> Forget…
          </button>
        </span>
      </div>
      <Failure error={action.error} />
    </article>
  );
}

/** Adds a passage, with tags, to an archive or a source. */
function AddPassage({ home, onAdded }: { readonly home: PassageHome; readonly onAdded: () => void }) {
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
      <Failure error={action.error} />
      <form class="stack" onSubmit={submitting(add)}>
        <label>
          Text
          <textarea rows={3} value={text} onInput={typed(setText)} />
        </label>
        <label>
          Tags, separated by commas <input type="text" value={tags} onInput={typed(setTags)} />
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

const pageSize = 100;

/**
 * Loads the passages of an archive or a source page by page, newest first. No passage is listed twice, even if others
 * were added or removed between two pages.
 */
function usePassages(home: PassageHome) {
  const { client } = useSession();
  const [later, setLater] = useState<readonly Passage[]>([]);
  const [changes, setChanges] = useState<ReadonlyMap<string, readonly string[] | null>>(new Map());
  const isLoading = useRef(false);
  const more = useAction();
  const first = useLoaded(async () => {
    setLater([]);
    setChanges(new Map());
    const [passages, total] = await Promise.all([
      listPassages(client, home, { limit: pageSize }),
      countPassages(client, home),
    ]);
    return { passages, total };
  }, [client, "agent" in home ? home.agent : home.source]);
  const known = [...(first.value?.passages ?? []), ...later];
  const rows = known.flatMap((passage) => {
    const tags = changes.get(passage.id);
    return tags === null ? [] : [tags === undefined ? passage : { ...passage, tags: [...tags] }];
  });
  const total = (first.value?.total ?? 0) - (known.length - rows.length);
  return {
    first,
    /** The passages of all loaded pages, with the tags that were changed here, and without those deleted here. */
    rows,
    total,
    more,
    loadMore(): void {
      const last = rows.at(-1);
      if (isLoading.current || last === undefined || rows.length >= total) return;
      isLoading.current = true;
      void more
        .run(async () => {
          const next = await listPassages(client, home, { after: last.id, limit: pageSize });
          setLater([...later, ...next]);
        })
        .finally(() => (isLoading.current = false));
    },
    /** Records the new tags of a passage, or, if `tags` is null, the deletion of the passage. */
    change: (id: string, tags: readonly string[] | null) => setChanges(new Map([...changes, [id, tags]])),
  };
}
