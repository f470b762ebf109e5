// Returns the file rules of OpenAI's two APIs, which are applied to compatible servers too. Sources: the pages "Images and
// vision", "File inputs" and "Audio" of OpenAI's documentation.
import { type FilePart, isPdf, type ModelInput } from "../../../base/message/file-part.ts";
import { type FileRules, notAcceptedReason } from "../wire/load-files.ts";

const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** The API's names of audio types. */
const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/mpeg": "mp3",
};

/** Returns the file rules of a model with these inputs. Only Chat Completions accepts audio. */
export function openaiFileRules(api: "responses" | "chat", inputs: readonly ModelInput[]): FileRules {
  return {
    refusal(file) {
      if (isPdf(file)) {
        // Chat Completions does not accept the URL of a file.
        const isSendable = api === "responses" || file.location.type === "attachment";
        return inputs.includes("pdf") && isSendable ? null : notAcceptedReason;
      }
      if (file.kind === "image") return inputs.includes("image") ? imageRefusal(file) : notAcceptedReason;
      const isSendable = api === "chat" && file.location.type === "attachment" && audioFormatOf(file) !== undefined;
      return file.kind === "audio" && inputs.includes("audio") && isSendable ? null : notAcceptedReason;
    },
    // The API accepts 50 MB of files per request.
    maxCharacters: 48_000_000,
    maxFiles: 100,
  };
}

export function audioFormatOf({ mediaType }: Pick<FilePart, "mediaType">): "wav" | "mp3" | undefined {
  return audioFormats[mediaType];
}

function imageRefusal({ mediaType, location }: FilePart): string | null {
  if (location.type === "url" || imageTypes.includes(mediaType)) return null;
  return `this model accepts JPEG, PNG, GIF and WebP, not ${mediaType}`;
}
