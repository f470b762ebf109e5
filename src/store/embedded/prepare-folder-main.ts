// Build program that prepares the data folder: `node dist/src/store/embedded/prepare-folder-main.js`.
import { packageMigrations } from "./migration-journal.ts";
import { prepareFolder } from "./prepare-folder.ts";

await prepareFolder(packageMigrations());
