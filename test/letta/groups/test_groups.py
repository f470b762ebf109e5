# Groups of Letta's API, by a Python client that still has them (.ci/letta.sh has its version).
from support import *
import pytest
from letta_client import NotFoundError, UnprocessableEntityError

ASK = "send_message_to_agent_and_wait_for_reply"


@contextlib.contextmanager
def group(*agents, **kw):
    g = client.groups.create(agent_ids=[a.id for a in agents], description="a talk", **kw)
    try:
        yield g
    finally:
        with contextlib.suppress(NotFoundError):
            client.groups.delete(g.id)


def say(g, text):
    return client.groups.messages.create(group_id=g.id, messages=[{"role": "user", "content": text}])


def test_record():
    with agent() as a, agent() as b, group(a) as g:
        assert (g.manager_type, g.agent_ids, g.description) == ("round_robin", [a.id], "a talk")
        assert client.groups.retrieve(g.id) == g and g in client.groups.list(limit=100).items
        assert [one.id for one in client.agents.groups.list(agent_id=a.id)] == [g.id]
        config = {"manager_type": "round_robin", "max_turns": 4}
        changed = client.groups.update(g.id, agent_ids=[b.id, a.id], description="more", manager_config=config)
        assert (changed.agent_ids, changed.description, changed.max_turns) == ([b.id, a.id], "more", 4)
        assert raw.get("/v1/groups/count").json() >= 1
        client.groups.delete(g.id)
        with pytest.raises(NotFoundError):
            client.groups.retrieve(g.id)


def test_other_managers_are_refused():
    with agent() as a, pytest.raises(UnprocessableEntityError, match="round_robin, supervisor, dynamic, sleeptime"):
        group(a, manager_config={"manager_type": "voice_sleeptime", "manager_agent_id": a.id}).__enter__()


def test_round_robin():
    with agent() as a, agent() as b, group(a, b) as g:
        r = say(g, "SAY one")
        assert kinds(r.messages) == ["assistant_message"] * 2 and [m.sender_id for m in r.messages] == [a.id, b.id]
        assert r.messages[0].content == "one" and r.usage.step_count == 2 and r.stop_reason.stop_reason == "end_turn"
        listed = list(client.groups.messages.list(group_id=g.id, order="asc", limit=50))
        assert kinds(listed) == ["user_message", "assistant_message", "assistant_message"]
        client.groups.messages.reset(g.id)
        assert list(client.groups.messages.list(group_id=g.id)) == []


def test_stream():
    with agent() as a, agent() as b, group(a, b) as g:
        messages = [{"role": "user", "content": "SAY one two"}]
        got = [m for m in client.groups.messages.stream(group_id=g.id, messages=messages, stream_tokens=True)]
        shown = [m for m in got if m.message_type != "ping"]
        assert "".join(m.content for m in shown if getattr(m, "sender_id", None) == a.id) == "one two"
        assert kinds(shown)[-2:] == ["stop_reason", "usage_statistics"] and kinds(shown).count("stop_reason") == 1


def test_supervisor_asks():
    with agent() as a, agent() as b:
        with group(b, manager_config={"manager_type": "supervisor", "manager_agent_id": a.id}) as g:
            assert ASK in [t.name for t in client.agents.tools.list(agent_id=a.id)]
            r = say(g, f'CALL {ASK} {{"message":"SAY pong","other_agent_id":"{b.id}"}}')
            assert kinds(r.messages) == ["tool_call_message", "tool_return_message", "assistant_message"]
            assert "pong" in r.messages[1].tool_return and said(r.messages).startswith("Done:")
            assert client.agents.retrieve(a.id).managed_group.id == g.id


def test_dynamic_ends_when_nobody_is_named():
    with agent() as a, agent() as b:
        config = {"manager_type": "dynamic", "manager_agent_id": a.id, "max_turns": 3}
        with group(b, manager_config=config) as g:
            assert g.termination_token == "DONE!" and say(g, "COUNT").messages == []


def test_sleeptime_reviews_in_the_background():
    with agent() as a, agent() as b:
        with group(b, manager_config={"manager_type": "sleeptime", "manager_agent_id": a.id}) as g:
            assert said(say(g, "SAY noted").messages) == "noted"
            path = f"/v1/conversations/?agent_id={b.id}"
            assert wait(lambda: [c for c in raw.get(path).json() if c["summary"] == g.id])
