// Where drizzle-kit finds the tables and keeps the migrations: `npm run generate` and `npx drizzle-kit` both read it.
// `npm run generate` adds to drizzle-kit's statements what drizzle cannot express (scripts/generate-migration.mjs).
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./src/store/schema.ts", "./src/store/schema/records.ts"],
  out: "./drizzle",
});
