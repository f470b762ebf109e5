// Shows a file of a message: draws pictures, shows texts, and downloads any stored content.
// Invariant: the page shows files only as pixels or text, loads nothing from a file's URL, and opens no file as a document.
import { useEffect, useRef, useState } from "preact/hooks";
import type { FilePart } from "../../../base/message/file-part.ts";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

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

/** The types that the canvas can decode. SVG is left out, because an SVG image is a document. */
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
      <Failure error={action.error} />
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

interface MessagePictureProps {
  readonly place: FilePlace;
  readonly file: FilePart;
}

/** Maximum width and height of a drawn picture, in CSS pixels. */
const maxSide = 320;

/** Draws a picture of a message on a canvas, because the page's security policy allows only the page's own images. */
function MessagePicture({ place, file }: MessagePictureProps) {
  const { client } = useSession();
  const { width, height } = sizeOf(file);
  const picture = useLoaded(
    async (signal) => {
      return decoded(await client.download(fileRoute, { params: place, signal }), { width, height });
    },
    [client, place.attachment],
  );
  return (
    <div class="picture" style={{ minHeight: `${height}px` }}>
      <Shown loaded={picture}>
        {(bitmap) =>
          bitmap === null ? (
            <p class="note">The picture cannot be decoded.</p>
          ) : (
            <Canvas bitmap={bitmap} label={file.name} width={width} />
          )
        }
      </Shown>
    </div>
  );
}

/** Returns the size in which a picture is shown; a square if its own size is not known. */
function sizeOf({ width = maxSide, height = maxSide }: FilePart): Size {
  const scale = Math.min(1, maxSide / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes a picture in its drawn size, so that a huge one takes little memory. Returns null for a damaged picture. */
async function decoded(content: Blob, { width, height }: Size): Promise<ImageBitmap | null> {
  const [resizeWidth, resizeHeight] = [width, height].map((one) => Math.ceil(one * devicePixelRatio)) as [
    number,
    number,
  ];
  try {
    return await createImageBitmap(content, { resizeWidth, resizeHeight, resizeQuality: "medium" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError") return null;
    throw error;
  }
}

interface CanvasProps {
  readonly bitmap: ImageBitmap;
  readonly label: string;
  readonly width: number;
}

function Canvas({ bitmap, label, width }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext("2d")?.drawImage(bitmap, 0, 0);
  }, [bitmap]);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={visibleText(label)}
      width={bitmap.width}
      height={bitmap.height}
      style={{ width: `${width}px` }}
    />
  );
}

/**
 * Saves content as a file. Hidden characters in its name are made visible, so that a program cannot look like a
 * picture.
 */
function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = visibleText(name);
  link.click();
  URL.revokeObjectURL(link.href);
}

interface FilePlace {
  readonly agent: string;
  readonly conversation: string;
  readonly attachment: string;
}

/** The route that returns the content of a stored file of a message. */
const fileRoute = "GET /agents/:agent/conversations/:conversation/files/:attachment" as const;
