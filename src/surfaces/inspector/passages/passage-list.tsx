// All passages of an archive or a source, newest first, loaded page by page as the user scrolls; their tags can be changed, and
// they can be deleted and forgotten.
import { useState } from "preact/hooks";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { AddPassage } from "./add-passage.tsx";
import { deletePassage, type Passage, type PassageHome } from "./passage-home.ts";
import { TagMarks } from "./tag-marks.tsx";
import { usePassages } from "./use-passages.ts";

export function PassageList({ home }: { readonly home: PassageHome }) {
  const [forgotten, setForgotten] = useState<string | null>(null);
  const { first, rows, total, more, loadMore, change } = usePassages(home);
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
              {more.error === undefined ? null : <Failure error={more.error} retry={loadMore} />}
              <VirtualList label="Passages" items={rows} keyOf={({ id }) => id} estimate={90} onEnd={loadMore}>
                {(passage) => (
                  <PassageRow
                    home={home}
                    passage={passage}
                    onForget={() => setForgotten(passage.id)}
                    onChange={(tags) => change(passage.id, tags)}
                  />
                )}
              </VirtualList>
            </>
          )
        }
      </Shown>
      {forgotten === null ? null : (
        <ForgetDialog
          item={{ kind: "passage", id: forgotten }}
          onClose={() => setForgotten(null)}
          onForgotten={() => {
            setForgotten(null);
            first.reload();
          }}
        />
      )}
    </>
  );
}

interface PassageRowProps {
  readonly home: PassageHome;
  readonly passage: Passage;
  readonly onForget: () => void;
  /** Null: it was deleted. */
  readonly onChange: (tags: readonly string[] | null) => void;
}

function PassageRow({ home, passage, onForget, onChange }: PassageRowProps) {
  const { client } = useSession();
  const action = useAction();
  const { id, text, tags, kind, importance, trust, at } = passage;
  const remove = () =>
    action.run(async () => {
      await deletePassage(client, home, id);
      onChange(null);
    });
  return (
    <article class="message" tabIndex={-1} data-item>
      <PlainText text={text} length={2000} />
      <div class="message-head">
        <span class="note">
          <Moment at={at} />, {kind}, importance {importance}
        </span>
        <TrustMark trust={trust} />
        <TagMarks home={home} passage={id} tags={tags} onChange={onChange} />
        <span class="small-actions">
          <button type="button" class="quiet small" disabled={action.isRunning} onClick={remove}>
            Delete
          </button>
          <button type="button" class="quiet small" onClick={onForget}>
            Forget…
          </button>
        </span>
      </div>
      {action.error === undefined ? null : <Failure error={action.error} />}
    </article>
  );
}
