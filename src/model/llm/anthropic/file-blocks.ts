// Converts files to blocks of Anthropic's Messages API, within the API's limits. Sources: the pages "Vision" and "PDF
// support" of its documentation.
import type Anthropic from "@anthropic-ai/sdk";
import { type FilePart, isPdf, type ModelInput } from "../../../base/message/file-part.ts";
import { type FileRules, notAcceptedReason, type WireFiles, wireFileOf } from "../wire/load-files.ts";

export type FileBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

type ImageType = Anthropic.Base64ImageSource["media_type"];

const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"] satisfies ImageType[];
const maxImageBytes = 5_000_000;
const maxPixels = 8000;
/** Maximum pages of a PDF for windows of 200,000 tokens; models with a larger window accept 600 pages. */
const maxPages = 100;

export function anthropicFileRules(inputs: readonly ModelInput[]): FileRules {
  return {
    refusal(file) {
      if (isPdf(file)) {
        if (!inputs.includes("pdf")) return notAcceptedReason;
        return (file.pages ?? 0) > maxPages ? `this model accepts at most ${maxPages} pages` : null;
      }
      if (file.kind !== "image" || !inputs.includes("image")) return notAcceptedReason;
      if (file.location.type === "url") return null;
      return imageRefusal(file);
    },
    // The API accepts 32 MB per request; 4 MB are kept for the rest of the request.
    maxCharacters: 28_000_000,
    // With more than 20 files, the limit per image drops to 2,000 pixels per side.
    maxFiles: 20,
  };
}

function imageRefusal({ mediaType, bytes, width = 0, height = 0 }: FilePart): string | null {
  if (!imageTypes.includes(mediaType)) return `this model accepts JPEG, PNG, GIF and WebP, not ${mediaType}`;
  if ((bytes ?? 0) > maxImageBytes) return "this model accepts images up to 5 MB";
  return Math.max(width, height) > maxPixels ? `this model accepts at most ${maxPixels} pixels per side` : null;
}

export function fileBlock(file: FilePart, files: WireFiles | undefined): FileBlock {
  const wire = wireFileOf(files, file);
  switch (wire.type) {
    case "note":
      return textBlock(wire.text);
    case "document":
      return {
        type: "document",
        title: wire.name,
        source: { type: "text", media_type: "text/plain", data: wire.text },
      };
    case "url":
      return isPdf(wire)
        ? { type: "document", source: { type: "url", url: wire.url } }
        : { type: "image", source: { type: "url", url: wire.url } };
    case "data":
      return isPdf(wire)
        ? {
            type: "document",
            title: wire.name,
            source: { type: "base64", media_type: "application/pdf", data: wire.base64 },
          }
        : {
            type: "image",
            source: { type: "base64", media_type: wire.mediaType as ImageType, data: wire.base64 },
          };
  }
}

export function textBlock(text: string): Anthropic.TextBlockParam {
  return { type: "text", text };
}
