-- The text as the parser of words is to see it: without what it takes for tags, addresses and file names, and leaves out or keeps
-- whole; cut so that its words fit into a tsvector. `words` of messages and passages are made from it, and so are queries.
CREATE FUNCTION plain_words(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT translate(left(written, 100000), '<>@/\.:;,_=+*&?!#%~|^`"$()[]{}-', repeat(' ', 31))
$$;
--> statement-breakpoint
CREATE TABLE "agent_sources" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_sources_user_id_agent_id_source_id_pk" PRIMARY KEY("user_id","agent_id","source_id")
);
--> statement-breakpoint
CREATE TABLE "source_files" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"path" text NOT NULL,
	"kind" text NOT NULL,
	"size" bigint NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"passages" integer NOT NULL,
	"loaded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "source_files_user_id_id_pk" PRIMARY KEY("user_id","id"),
	CONSTRAINT "source_files_path_key" UNIQUE("user_id","source_id","path"),
	CONSTRAINT "source_files_reason_check" CHECK ((status = 'failed') = (reason is not null))
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sources_user_id_id_pk" PRIMARY KEY("user_id","id"),
	CONSTRAINT "sources_name_key" UNIQUE("user_id","name")
);
--> statement-breakpoint
-- Moved into the table that the factory makes, by the next migration.
ALTER TABLE "passages_512" RENAME TO "vectors_of_passages";--> statement-breakpoint
ALTER TABLE "passages" DROP CONSTRAINT "passages_content_key";--> statement-breakpoint
DROP INDEX "passages_newest_index";--> statement-breakpoint
ALTER TABLE "messages" drop column "words";--> statement-breakpoint
ALTER TABLE "passages" ALTER COLUMN "agent_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "passages" drop column "words";--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "speaker" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "terms" "tsvector";--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english'::regconfig, plain_words(search_text)), 'A') || coalesce(terms, '')) STORED;--> statement-breakpoint
CREATE INDEX "messages_words_index" ON "messages" USING gin ("words");--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "archive_id" uuid GENERATED ALWAYS AS (coalesce(agent_id, source_id)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "file_id" uuid;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "place" jsonb;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "terms" "tsvector";--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english'::regconfig, plain_words(search_text)), 'A') || coalesce(terms, '')) STORED;--> statement-breakpoint
CREATE INDEX "passages_words_index" ON "passages" USING gin ("words");--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "importance" double precision DEFAULT 0.5 NOT NULL;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "access_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "accessed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agent_sources" ADD CONSTRAINT "agent_sources_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_sources" ADD CONSTRAINT "agent_sources_source_fkey" FOREIGN KEY ("user_id","source_id") REFERENCES "sources"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_files" ADD CONSTRAINT "source_files_source_fkey" FOREIGN KEY ("user_id","source_id") REFERENCES "sources"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_sources_agent_index" ON "agent_sources" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "agent_sources_source_index" ON "agent_sources" USING btree ("user_id","source_id");--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_source_fkey" FOREIGN KEY ("user_id","source_id") REFERENCES "sources"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_file_fkey" FOREIGN KEY ("user_id","file_id") REFERENCES "source_files"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passages_file_index" ON "passages" USING btree ("user_id","file_id") WHERE file_id is not null;--> statement-breakpoint
CREATE INDEX "passages_newest_index" ON "passages" USING btree ("user_id","archive_id","created_at","id");--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_content_key" UNIQUE("user_id","archive_id","content_hash");--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_archive_check" CHECK (num_nonnulls(agent_id, source_id) = 1);--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_importance_check" CHECK (importance between 0 and 1);