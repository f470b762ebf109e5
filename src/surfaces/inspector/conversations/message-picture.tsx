// A picture of a message, drawn on a canvas: the security policy of the page allows no images of others, and needs no exception.
import { useEffect, useRef } from "preact/hooks";
import type { FilePart } from "../../../base/message/file-part.ts";
import { visibleText } from "../parts/visible-text.ts";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { type FilePlace, fileRoute } from "./file-place.ts";

interface MessagePictureProps {
  readonly place: FilePlace;
  readonly file: FilePart;
}

/** The longest side that is drawn, in pixels of the page. */
const maxSide = 320;

export function MessagePicture({ place, file }: MessagePictureProps) {
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

/** The size in which it is shown; a square if its own is not known. */
function sizeOf({ width = maxSide, height = maxSide }: FilePart): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, maxSide / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes in the size that is drawn, so that a huge picture takes little memory. Returns null if it is damaged. */
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
