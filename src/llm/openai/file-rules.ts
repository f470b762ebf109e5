// What OpenAI's two APIs take of files, and compatible servers with them.
// Sources: the pages "Images and vision", "File inputs" and "Audio" of its documentation.
import { type FilePart, isPdf, type ModelInput } from "../../message/file-part.ts";
import { type FileRules, notTaken } from "../wire/load-files.ts";

const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** What the API calls each type of audio. */
const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/mpeg": "mp3",
};

/** What a model that takes these inputs can be sent. Only Chat Completions has a place for audio. */
export function openaiFileRules(api: "responses" | "chat", inputs: readonly ModelInput[]): FileRules {
  return {
    refusal(file) {
      if (isPdf(file)) {
        // Chat Completions has no place for the address of a file.
        const isSendable = api === "responses" || file.location.type === "attachment";
        return inputs.includes("pdf") && isSendable ? null : notTaken;
      }
      if (file.kind === "image") return inputs.includes("image") ? imageRefusal(file) : notTaken;
      const isSendable = api === "chat" && file.location.type === "attachment" && audioFormatOf(file) !== undefined;
      return file.kind === "audio" && inputs.includes("audio") && isSendable ? null : notTaken;
    },
    // 50 MB of files a request.
    maxCharacters: 48_000_000,
    maxFiles: 100,
  };
}

export function audioFormatOf({ mediaType }: Pick<FilePart, "mediaType">): "wav" | "mp3" | undefined {
  return audioFormats[mediaType];
}

function imageRefusal({ mediaType, location }: FilePart): string | null {
  if (location.type === "url" || imageTypes.includes(mediaType)) return null;
  return `this model takes JPEG, PNG, GIF and WebP, not ${mediaType}`;
}
