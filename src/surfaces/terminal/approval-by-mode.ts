// Approves the call that waits at the end of a turn, if the mode of approvals says so.
// Invariant: a call is approved by the mode at the end of its turn, and shown either as approved or as a question.
import type { AgentEvent } from "../../agent/events.ts";
import { approvalItem } from "./view/approval-item.ts";
import { type ApprovalMode, approves, modeLabels } from "./approval-mode.ts";
import type { CommandEffect } from "./commands/command.ts";
import type { Agent } from "./runtime-records.ts";
import type { ViewItem } from "./view/view-item.ts";

type BeginTurn = Extract<CommandEffect, { type: "turn" }>["begin"];

export interface ApprovalByMode {
  /** Passes the events on, without the question about a call that the mode approves. */
  withoutQuestion(turn: AsyncGenerator<AgentEvent, void>): AsyncGenerator<AgentEvent, void>;
  /** Returns how to run the waiting call; null if the user has to decide. */
  approve(): BeginTurn | null;
}

export interface ApprovalDeps {
  readonly agent: Agent;
  mode(): ApprovalMode;
  show(items: readonly ViewItem[]): void;
}

/** For one turn. */
export function approvalByMode({ agent, mode, show }: ApprovalDeps): ApprovalByMode {
  let isHidden = false;
  const isApproved = (name: string): boolean => {
    const tool = agent.describeTools().find((candidate) => candidate.name === name);
    return tool !== undefined && approves(mode(), tool);
  };
  return {
    async *withoutQuestion(turn) {
      for await (const event of turn) {
        const isQuestion = event.type === "approval-requested" && isApproved(event.name);
        isHidden ||= isQuestion;
        if (!isQuestion) yield event;
      }
    },
    approve() {
      const [waiting] = agent.pendingApprovals;
      if (waiting === undefined) return null;
      if (!isApproved(waiting.toolName)) {
        if (isHidden) show([approvalItem(waiting)]);
        return null;
      }
      const text = `Approved ${waiting.toolName}: this chat ${modeLabels[mode()]}.`;
      show([{ kind: "notice", level: "note", text }]);
      return ({ signal }) => agent.approve(waiting.callId, { signal });
    },
  };
}
