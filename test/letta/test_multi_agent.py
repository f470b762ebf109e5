# Agents that write to each other by Letta's tools, by its Python client.
from support import *
import json

ASK, SEND, TAGS = (
    "send_message_to_agent_and_wait_for_reply",
    "send_message_to_agent_async",
    "send_message_to_agents_matching_tags",
)


def result(r):
    return next(m for m in r.messages if m.message_type == "tool_return_message")


def test_tools_are_listed_and_attached():
    tools = {t.name: t for t in client.tools.list(tool_types=["letta_multi_agent_core"])}
    assert set(tools) == {ASK, SEND, TAGS}
    with agent(tools=[ASK], tool_ids=[tools[SEND].id], include_base_tools=False) as a:
        client.agents.tools.attach(tools[TAGS].id, agent_id=a.id)
        assert {t.name for t in client.agents.tools.list(agent_id=a.id)} == {ASK, SEND, TAGS}
        client.agents.tools.detach(tools[SEND].id, agent_id=a.id)
        assert {t.name for t in client.agents.tools.list(agent_id=a.id)} == {ASK, TAGS}


def test_wait_for_reply():
    with agent(tools=[ASK]) as a, agent() as b:
        r = send(a, f'CALL {ASK} {{"message":"SAY pong","other_agent_id":"{b.id}"}}')
        assert kinds(r.messages) == ["tool_call_message", "tool_return_message", "assistant_message"]
        assert json.loads(result(r).tool_return) == {"agent_id": b.id, "response": ["pong"]}
        assert r.stop_reason.stop_reason == "end_turn" and said(r.messages).startswith("Done:")


def test_wait_is_streamed():
    with agent(tools=[ASK]) as a, agent() as b:
        text = f'CALL {ASK} {{"message":"SAY pong","other_agent_id":"{b.id}"}}'
        messages = [{"role": "user", "content": text}]
        got = [m for m in client.agents.messages.stream(agent_id=a.id, messages=messages) if m.message_type != "ping"]
        assert kinds(got) == [
            "tool_call_message",
            "tool_return_message",
            "assistant_message",
            "stop_reason",
            "usage_statistics",
        ]


def test_async_arrives():
    with agent(tools=[SEND]) as a, agent() as b:
        r = send(a, f'CALL {SEND} {{"message":"SAY noted","other_agent_id":"{b.id}"}}')
        assert result(r).tool_return == "Successfully sent message"
        found = lambda: [c for c in client.conversations.list(agent_id=b.id)]
        assert wait(lambda: any("noted" in said(client.conversations.messages.list(c.id).items) for c in found()))


def test_by_tags():
    tag = name("tag")
    with agent(tools=[TAGS]) as a, agent(tags=[tag, "x"]) as b, agent(tags=[tag, "y"]) as c, agent(tags=[tag]):
        call = {"message": "SAY here", "match_all": [tag], "match_some": ["x", "y"]}
        r = send(a, f"CALL {TAGS} {json.dumps(call)}")
        assert json.loads(result(r).tool_return) == [{"agent_id": i, "response": ["here"]} for i in (b.id, c.id)]


def test_unknown_agent_is_an_error_of_the_call():
    with agent(tools=[ASK]) as a:
        r = send(a, f'CALL {ASK} {{"message":"hi","other_agent_id":"nobody"}}')
        assert result(r).status == "error" and "no agent" in result(r).tool_return
