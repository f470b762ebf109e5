# Streams of Letta's API, by its Python client.
from support import *
import pytest, json


def events(a, text, **kw):
    with raw.stream(
        "POST",
        f"/v1/agents/{a.id}/messages/stream",
        json={"messages": [{"role": "user", "content": text}], **kw},
    ) as r:
        assert r.status_code == 200 and r.headers["content-type"].startswith("text/event-stream")
        return sse("".join(r.iter_text()))


def bodies(ev):
    return [json.loads(d) for e, d in ev if e is None and d != "[DONE]"]


def quiet(bs):
    return [b for b in bs if b["message_type"] != "ping"]


def test_step_stream_order():
    with agent() as a:
        ev = events(a, 'CALL memory_insert {"label":"human","new_string":"S1"}')
        assert ev[-1][1] == "[DONE]" and all(e is None for e, _ in ev)
        assert [b["message_type"] for b in quiet(bodies(ev))] == [
            "tool_call_message",
            "tool_return_message",
            "assistant_message",
            "stop_reason",
            "usage_statistics",
        ]


def test_step_stream_has_whole_messages():
    with agent() as a:
        b = quiet(bodies(events(a, "SAY a b c d")))
        assert b[0]["message_type"] == "assistant_message" and b[0]["content"] in (
            "a b c d",
            [{"type": "text", "text": "a b c d"}],
        )
        assert (
            b[1] == {"message_type": "stop_reason", "stop_reason": "end_turn"}
            and b[2]["message_type"] == "usage_statistics"
            and b[2]["step_count"] == 1
        )


def test_token_stream_deltas_share_an_id():
    with agent() as a:
        b = [
            x
            for x in bodies(events(a, "SAY a b c d", stream_tokens=True))
            if x["message_type"] == "assistant_message"
        ]
        assert (
            len(b) >= 2
            and len({x["id"] for x in b}) == 1
            and "".join(x["content"] if isinstance(x["content"], str) else x["content"][0]["text"] for x in b)
            == "a b c d"
        )


def test_token_stream_tool_call_deltas():
    with agent() as a:
        b = [
            x
            for x in bodies(
                events(a, 'CALL memory_insert {"label":"human","new_string":"S2"}', stream_tokens=True)
            )
            if x["message_type"] == "tool_call_message"
        ]
        assert (
            b[0]["tool_call"]["name"] == "memory_insert"
            and json.loads("".join(x["tool_call"].get("arguments") or "" for x in b))
            == {"label": "human", "new_string": "S2"}
            and len({x["tool_call"]["tool_call_id"] for x in b}) == 1
        )


def test_stream_by_the_client():
    with agent() as a:
        got = list(
            client.agents.messages.stream(
                agent_id=a.id, messages=[{"role": "user", "content": "SAY hello there"}], stream_tokens=True
            )
        )
        k = [g.message_type for g in got if g.message_type != "ping"]
        assert k[-2:] == ["stop_reason", "usage_statistics"] and set(k[:-2]) == {"assistant_message"}


def test_create_with_streaming_true():
    with agent() as a:
        got = list(
            client.agents.messages.create(
                agent_id=a.id, messages=[{"role": "user", "content": "SAY hello"}], streaming=True
            )
        )
        assert got[-1].message_type == "usage_statistics"


def test_pings_can_be_left_out():
    with agent() as a:
        assert "ping" not in [b["message_type"] for b in bodies(events(a, "SAY x", include_pings=False))]


def test_streamed_messages_are_kept():
    with agent() as a:
        ids = {
            b["id"]
            for b in bodies(events(a, "SAY kept", stream_tokens=True))
            if b["message_type"] == "assistant_message"
        }
        assert ids <= {m.id for m in shown(a)}


def test_model_failure_in_a_stream():
    with agent() as a:
        ev = events(a, "FAIL 400")
        text = json.dumps(ev)
        assert ev[-1][1] == "[DONE]"
        b = bodies([(None, d) for _, d in ev])
        assert "stop_reason" in [x.get("message_type") for x in b] or "error_message" in [
            x.get("message_type") for x in b
        ]
        assert said(send(a, "SAY well again").messages) == "well again"
