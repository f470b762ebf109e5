// The tool `forget`: removes texts from all stored data of the user, after the user has approved and the turn has ended.
// Invariant: the user sees every place before approving; the tool itself only defers the forgetting.
import * as z from "zod";
import { forgottenMark } from "../../base/redactor.ts";
import { RequestError, ToolError } from "../../base/errors.ts";
import type { ForgottenPlace } from "../../store/port/forgetting-store.ts";
import type { ForgetOperations } from "./contract.ts";
import { forgetToolName } from "../../base/message/forget-content.ts";
import { defineTool, ownTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import type { DeferredForgettings } from "./deferred-forgettings.ts";
import { requireForgettable } from "./forget-operations.ts";

/** Maximum places that a preview lists; further places are only counted. */
const maxListed = 30;

export function createForgetTool(
  { preview }: Pick<ForgetOperations, "preview">,
  { defer }: Pick<DeferredForgettings, "defer">,
): Tool {
  return ownTool(
    defineTool({
      name: forgetToolName,
      description:
        "Remove texts for good from memory and all conversations, when the user asks you to forget something. The user sees the places and approves it; this turn goes with them.",
      parameters: z.object({
        texts: z
          .array(z.string().describe("A name, number, phrase or sentence, exactly as it was written."))
          .describe("Each wording of it. A word that is also used for something else is removed there, too."),
      }),
      effects: "memory",
      approval: true,
      preview: async ({ texts }) => placesText((await checked(() => preview({ texts }))).places),
      async run({ texts }) {
        // If the call runs again after the forgetting, its arguments contain `forgottenMark` instead of the texts.
        const wanted = texts.filter((text) => text.trim() !== forgottenMark);
        if (wanted.length === 0) return "Removed.";
        // The texts are checked again, because the user may have approved other arguments than those of the preview.
        await checked(async () => defer(requireForgettable({ texts: wanted }).texts));
        return "Approved: the texts are removed everywhere when this turn ends. Do not repeat them.";
      },
    }),
  );
}

/** Runs the work. Throws ToolError, for the model, instead of RequestError `input_invalid`. */
async function checked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError && error.code === "input_invalid")
      throw new ToolError(error.message, { cause: error });
    throw error;
  }
}

function placesText(places: readonly ForgottenPlace[]): string {
  const listed = places.slice(0, maxListed).map(placeText);
  const more = places.length - listed.length;
  const count = `${places.length} ${places.length === 1 ? "place" : "places"}`;
  return [`Removes texts for good from ${count}:`, ...listed, ...(more === 0 ? [] : [`- and ${more} more`])].join("\n");
}

function placeText({ kind, id, effect, excerpt }: ForgottenPlace): string {
  const place = kind === "other" ? id : `${kind} ${id}`;
  return `- ${place} (${effect})${excerpt === null ? "" : `: ${excerpt}`}`;
}
