// Serves the page of the inspector from the files that the build made.
// Invariant: only files of the build are served, and the page can exchange data with this server only.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../fault.ts";

/**
 * The Content-Security-Policy, which refuses everything that the page does not need. Trusted types refuse every way to parse a
 * text as HTML, so that stored text can never become code.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const commonHeaders = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface InspectorFiles {
  /** Returns the HTML of the page. Throws Fault `route_not_found` if it was not built. */
  page(): Promise<Response>;
  /** Returns the script, style sheet or image with this name. Throws Fault `route_not_found`. */
  asset(name: string): Promise<Response>;
}

/** Serves the files of the build in `folder`. Each file is read on its first request. */
export function createInspectorFiles(folder: string): InspectorFiles {
  const assets = path.join(folder, "assets");
  const read = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const bytesOf = (file: string): Promise<Uint8Array<ArrayBuffer>> => {
    const known = read.get(file) ?? readFile(file).then((bytes) => new Uint8Array(bytes));
    read.set(file, known);
    return known;
  };
  return {
    async page() {
      const bytes = await bytesOf(path.join(folder, "index.html")).catch((error: unknown) => {
        read.clear();
        throw notBuilt(error);
      });
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
      return new Response(bytes, { headers: { ...commonHeaders, ...headers } });
    },
    async asset(name) {
      const contentType = contentTypes[path.extname(name)];
      // Only a name in the folder's list is accepted, so no path leads out of the folder.
      const names = await readdir(assets).catch((error: unknown) => {
        throw notBuilt(error);
      });
      if (contentType === undefined || !names.includes(name))
        throw new Fault(404, "route_not_found", "The inspector has no such file. Reload the page.");
      const headers = { "content-type": contentType, "cache-control": "public, max-age=31536000, immutable" };
      return new Response(await bytesOf(path.join(assets, name)), { headers: { ...commonHeaders, ...headers } });
    },
  };
}

function notBuilt(cause: unknown): Fault {
  const message = "The page of the inspector is missing from this installation. Build or install the package again.";
  return new Fault(404, "route_not_found", message, { cause });
}
