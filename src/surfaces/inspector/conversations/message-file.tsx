// A file of a message: pictures are drawn, texts can be read, and everything stored can be downloaded.
// Invariant: a file is only pixels or text on the page; nothing is loaded from its address, and no file is opened as a document.
import type { FilePart } from "../../../base/message/file-part.ts";
import { useState } from "preact/hooks";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { type FilePlace, fileRoute } from "./file-place.ts";
import { MessagePicture } from "./message-picture.tsx";

interface MessageFilesProps extends Omit<FilePlace, "attachment"> {
  readonly files: readonly FilePart[];
}

export function MessageFiles({ files, ...place }: MessageFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {files.map((file, at) => (
        <li key={at}>
          <FileItem file={file} {...place} />
        </li>
      ))}
    </ul>
  );
}

/** What the canvas can decode; SVG is a document and none of them. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif)$/u;

function FileItem({ file, ...others }: Omit<FilePlace, "attachment"> & { readonly file: FilePart }) {
  const { name, mediaType, bytes, location } = file;
  const place = location.type === "attachment" ? { ...others, attachment: location.id } : null;
  return (
    <>
      <span class="mark">
        <PlainText text={name} length={80} isInline /> <PlainText text={mediaType} length={60} isInline />
        {bytes === null ? "" : `, ${numberText(bytes)} bytes`}
      </span>
      {location.type === "url" ? (
        <span class="note block">
          at <PlainText text={location.url} length={200} isInline />
        </span>
      ) : null}
      {place === null ? null : <Download place={place} name={name} />}
      {place !== null && pictures.test(mediaType) ? <MessagePicture place={place} file={file} /> : null}
      {place !== null && mediaType.startsWith("text/") ? <FileText place={place} /> : null}
    </>
  );
}

function Download({ place, name }: { readonly place: FilePlace; readonly name: string }) {
  const { client } = useSession();
  const action = useAction();
  const download = () => action.run(async () => saveFile(await client.download(fileRoute, { params: place }), name));
  return (
    <>
      <button type="button" class="quiet" disabled={action.isRunning} onClick={download}>
        Download
      </button>
      {action.error === undefined ? null : <Failure error={action.error} />}
    </>
  );
}

function FileText({ place }: { readonly place: FilePlace }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="note">Text</summary>
      {isOpen ? <LoadedText place={place} /> : null}
    </details>
  );
}

function LoadedText({ place }: { readonly place: FilePlace }) {
  const { client } = useSession();
  const text = useLoaded(
    async (signal) => (await client.download(fileRoute, { params: place, signal })).text(),
    [client, place.attachment],
  );
  return <Shown loaded={text}>{(found) => <PlainText text={found} length={4000} />}</Shown>;
}
