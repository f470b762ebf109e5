ALTER TABLE "conversations" ADD CONSTRAINT "conversations_agent_key" UNIQUE("user_id","id","agent_id");
--> statement-breakpoint
ALTER TABLE "compactions" DROP CONSTRAINT "compactions_conversation_fkey";
--> statement-breakpoint
ALTER TABLE "inputs" DROP CONSTRAINT "inputs_conversation_fkey";
--> statement-breakpoint
ALTER TABLE "messages" DROP CONSTRAINT "messages_conversation_fkey";
--> statement-breakpoint
ALTER TABLE "steps" DROP CONSTRAINT "steps_conversation_fkey";
--> statement-breakpoint
ALTER TABLE "compactions" ADD CONSTRAINT "compactions_conversation_fkey" FOREIGN KEY ("user_id","conversation_id","agent_id") REFERENCES "public"."conversations"("user_id","id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inputs" ADD CONSTRAINT "inputs_conversation_fkey" FOREIGN KEY ("user_id","conversation_id","agent_id") REFERENCES "public"."conversations"("user_id","id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_conversation_fkey" FOREIGN KEY ("user_id","conversation_id","agent_id") REFERENCES "public"."conversations"("user_id","id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "steps" ADD CONSTRAINT "steps_conversation_fkey" FOREIGN KEY ("user_id","conversation_id","agent_id") REFERENCES "public"."conversations"("user_id","id","agent_id") ON DELETE cascade ON UPDATE no action;
