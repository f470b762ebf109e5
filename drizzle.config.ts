// Where drizzle-kit finds the tables and puts the migrations: `npx drizzle-kit generate --name what-changed`.
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/store/schema.ts",
  out: "./drizzle",
});
