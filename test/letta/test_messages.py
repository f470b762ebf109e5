# Messages of Letta's API, by its Python client.
from support import *
import pytest, json
from letta_client import APIStatusError, NotFoundError


def test_answer():
    with agent() as a:
        r = send(a, "SAY Hi Ada")
        assert kinds(r.messages) == ["assistant_message"] and said(r.messages) == "Hi Ada"
        assert (
            r.stop_reason.stop_reason == "end_turn"
            and r.usage.step_count == 1
            and r.usage.completion_tokens > 0
            and r.usage.total_tokens == r.usage.prompt_tokens + r.usage.completion_tokens
        )
        m = r.messages[0]
        assert (
            m.id.startswith("message-")
            and m.run_id.startswith("run-")
            and m.step_id.startswith("step-")
            and m.date
            and m.otid
        )


def test_input_is_short_for_messages():
    with agent() as a:
        assert (
            said(client.agents.messages.create(agent_id=a.id, input="SAY short form").messages)
            == "short form"
        )


def test_content_parts():
    with agent() as a:
        assert (
            said(
                client.agents.messages.create(
                    agent_id=a.id,
                    messages=[{"role": "user", "content": [{"type": "text", "text": "SAY parts"}]}],
                ).messages
            )
            == "parts"
        )


def test_memory_tool_call():
    with agent() as a:
        r = send(a, 'CALL memory_insert {"label":"human","new_string":"Likes zebras"}')
        assert (
            kinds(r.messages) == ["tool_call_message", "tool_return_message", "assistant_message"]
            and r.usage.step_count == 2
        )
        c, t = r.messages[:2]
        assert (
            c.tool_call.name == "memory_insert"
            and json.loads(c.tool_call.arguments)["label"] == "human"
            and t.status == "success"
            and t.tool_call_id == c.tool_call.tool_call_id
        )
        assert "Likes zebras" in client.agents.blocks.retrieve("human", agent_id=a.id).value


def test_every_page_is_oldest_first():
    # the order says which messages a page has, not how they stand in it
    with agent() as a:
        send(a, "SAY one")
        send(a, "SAY two")
        asc = shown(a, limit=50, order="asc")
        k = kinds(asc)
        assert (
            [m.id for m in asc]
            == [m.id for m in shown(a, limit=50, order="desc")]
            == [m.id for m in shown(a)]
        )
        assert k == [
            "system_message",
            "user_message",
            "assistant_message",
            "user_message",
            "assistant_message",
        ] and asc[-1].content in ("two", [{"type": "text", "text": "two"}])


def test_cursors():
    with agent() as a:
        for w in ("one", "two", "three"):
            send(a, "SAY " + w)
        all_ = [m.id for m in shown(a, limit=100, order="asc")]
        at = lambda **q: [all_.index(m.id) for m in shown(a, **q)]
        assert at(order="desc", limit=2) == [5, 6] and at(order="asc", limit=2) == [0, 1]
        assert at(order="asc", after=all_[2], limit=2) == [3, 4] and at(
            order="desc", before=all_[5], limit=2
        ) == [3, 4]
        assert [m.id for m in client.agents.messages.list(agent_id=a.id, order="asc", limit=2)] == all_


def test_include_return_message_types():
    with agent() as a:
        r = send(
            a,
            'CALL memory_insert {"label":"human","new_string":"x"}',
            include_return_message_types=["tool_call_message"],
        )
        assert set(kinds(r.messages)) == {"tool_call_message"}


def test_system_role_message():
    with agent() as a:
        r = client.agents.messages.create(
            agent_id=a.id, messages=[{"role": "system", "content": "An event happened."}]
        )
        assert "assistant_message" in kinds(r.messages)


def test_two_messages_at_once():
    with agent() as a:
        r = client.agents.messages.create(
            agent_id=a.id,
            messages=[{"role": "user", "content": "one"}, {"role": "user", "content": "SAY both"}],
        )
        assert said(r.messages) == "both"
        assert kinds(shown(a, order="asc"))[-3:] == ["user_message", "user_message", "assistant_message"]


def test_history_reaches_model():
    with agent() as a:
        send(a, "SAY one")
        n = int(said(send(a, "COUNT").messages).split("user=")[1].split()[0])
        assert n >= 2


def test_reset_empties_the_window():
    with agent() as a:
        send(a, "SAY one")
        send(a, "SAY two")
        client.agents.messages.reset(agent_id=a.id)
        assert "user=1 " in said(send(a, "COUNT").messages)


def test_reset_with_initial_messages():
    with agent() as a:
        send(a, "SAY one")
        s = client.agents.messages.reset(agent_id=a.id, add_default_initial_messages=True)
        assert s is None or s.id == a.id


def test_unknown_agent():
    with pytest.raises(NotFoundError):
        client.agents.messages.create(agent_id="agent-00000000-0000-4000-8000-000000000000", input="hi")


def test_neither_input_nor_messages_is_422():
    with agent() as a:
        assert raw.post(f"/v1/agents/{a.id}/messages", json={}).status_code == 422


def test_both_input_and_messages_is_422():
    with agent() as a:
        assert (
            raw.post(
                f"/v1/agents/{a.id}/messages",
                json={"input": "x", "messages": [{"role": "user", "content": "y"}]},
            ).status_code
            == 422
        )


def test_max_steps():
    with agent() as a:
        r = send(a, 'LOOP conversation_search {"query":"x"}', max_steps=2)
        assert r.stop_reason.stop_reason == "max_steps" and r.usage.step_count == 2


def test_failing_tool_goes_on():
    with agent() as a:
        r = send(a, 'CALL no_such_tool {"x":1}')
        t = next(m for m in r.messages if m.message_type == "tool_return_message")
        assert t.status == "error" and r.stop_reason.stop_reason == "end_turn"


def test_length_is_told():
    with agent() as a:
        assert send(a, "LENGTH").stop_reason.stop_reason in ("max_tokens_exceeded", "end_turn")


def test_parallel_calls():
    with agent(parallel_tool_calls=True) as a:
        r = send(
            a, 'TWICE memory_insert {"label":"human","new_string":"A1"} {"label":"persona","new_string":"B2"}'
        )
        assert (
            "A1" in client.agents.blocks.retrieve("human", agent_id=a.id).value
            and "B2" in client.agents.blocks.retrieve("persona", agent_id=a.id).value
        )


def test_sender_and_otid_come_back():
    with agent() as a:
        client.agents.messages.create(
            agent_id=a.id, messages=[{"role": "user", "content": "SAY x", "otid": "abc-1"}]
        )
        u = [m for m in shown(a) if m.message_type == "user_message"][0]
        assert u.otid == "abc-1"


def test_runs_and_steps():
    with agent() as a:
        r = send(a, "SAY x")
        rid = r.messages[0].run_id
        run = client.runs.retrieve(run_id=rid)
        assert run.status == "completed" and run.agent_id == a.id and run.stop_reason == "end_turn"
        assert rid in [x.id for x in client.runs.list(agent_id=a.id)]
        assert "assistant_message" in kinds(client.runs.messages.list(run_id=rid).items)
        assert (
            client.runs.usage.retrieve(run_id=rid).total_tokens > 0
            and len(client.runs.steps.list(run_id=rid).items) == 1
        )


def test_compact():
    with agent() as a:
        for w in ("one", "two", "three", "four"):
            send(a, "SAY " + w)
        r = client.agents.messages.compact(agent_id=a.id)
        assert r.num_messages_after <= r.num_messages_before and r.summary


def test_one_message_by_id():
    with agent() as a:
        send(a, "SAY x")
        m = [x for x in shown(a) if x.message_type == "assistant_message"][0]
        got = client.messages.retrieve(message_id=m.id)
        assert got[0].id == m.id
