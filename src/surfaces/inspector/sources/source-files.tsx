// Lists the files of a source with their errors, loads files from the user's machine, and removes files.
import type { CallResult } from "../../client/api-types.ts";
import { FileChoice } from "../parts/file-choice.tsx";
import { Icon } from "../parts/icon.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

export function SourceFiles({ source, onChange }: { readonly source: string; readonly onChange: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const files = useLoaded(
    (signal) => client.call("GET /sources/:source/files", { params: { source }, signal }),
    [client, source],
  );
  const changed = (step: () => Promise<void>) =>
    void action.run(async () => {
      try {
        await step();
      } finally {
        files.reload();
        onChange();
      }
    });
  const load = (chosen: readonly File[]) =>
    changed(async () => {
      // Files are sent one after the other, so that the files before one that cannot be read are stored.
      for (const file of chosen) {
        await client.call("POST /sources/:source/files", { params: { source }, body: { file, name: file.name } });
      }
    });
  const remove = (path: string) =>
    changed(
      async () => void (await client.call("DELETE /sources/:source/files", { params: { source }, query: { path } })),
    );
  return (
    <>
      <div class="title-row">
        <h3>Files</h3>
        <FileChoice label="Load files" onChoose={load} />
      </div>
      {action.isRunning ? (
        <p class="note" role="status">
          Reading…
        </p>
      ) : null}
      <Failure error={action.error} />
      <Shown loaded={files}>
        {(found) =>
          found.length === 0 ? (
            <p class="note">No file was loaded: text, Markdown, HTML, PDF, code or JSON lines.</p>
          ) : (
            <ul class="rows" aria-label="Files">
              {found.map((file) => (
                <FileRow key={file.id} file={file} isRunning={action.isRunning} onRemove={() => remove(file.path)} />
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

interface FileRowProps {
  readonly file: CallResult<"GET /sources/:source/files">[number];
  readonly isRunning: boolean;
  readonly onRemove: () => void;
}

function FileRow({ file: { path, status, passages, reason }, isRunning, onRemove }: FileRowProps) {
  return (
    <li class="row">
      <Icon name="sources" />
      <div class="row-text">
        <PlainText text={path} length={300} isInline />{" "}
        {status === "failed" ? <span class="mark bad">failed</span> : null}
        <span class="note block">
          {countText(passages, "passage")}
          {reason === null ? null : (
            <>
              , <PlainText text={reason} length={300} isInline />
            </>
          )}
        </span>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="quiet danger"
          disabled={isRunning}
          onClick={onRemove}
          aria-label={`Remove ${visibleText(path)}`}
        >
          <Icon name="remove" /> Remove
        </button>
      </div>
    </li>
  );
}
