# Tools and approvals of Letta's API, by its Python client.
from support import *
import pytest, json
from letta_client import NotFoundError, APIStatusError


@pytest.fixture
def tool():
    t = client.tools.upsert(source_code=TOOL.replace("add_numbers", "add_" + name("n").replace("-", "_")))
    yield t
    with contextlib.suppress(Exception):
        client.tools.delete(tool_id=t.id)


def test_create_reads_name_and_schema(tool):
    assert (
        tool.id.startswith("tool-")
        and tool.name.startswith("add_n")
        and tool.description.startswith("Adds two numbers")
        and tool.tool_type == "custom"
    )
    p = tool.json_schema["parameters"]
    assert (
        set(p["properties"]) == {"a", "b"}
        and p["properties"]["a"]["type"] == "integer"
        and sorted(p["required"]) == ["a", "b"]
    )


def test_create_twice_keeps_one(tool):
    with contextlib.suppress(APIStatusError):
        client.tools.create(source_code=tool.source_code)
    assert [t.id for t in client.tools.list(name=tool.name)] == [tool.id]


def test_upsert_keeps_id(tool):
    t = client.tools.upsert(source_code=tool.source_code.replace("Adds two", "Sums two"))
    assert t.id == tool.id and t.description.startswith("Sums two")


def test_list_by_name(tool):
    assert [t.id for t in client.tools.list(name=tool.name)] == [tool.id]


def test_update(tool):
    assert client.tools.update(
        tool_id=tool.id, tags=["q"], return_char_limit=300
    ).return_char_limit == 300 and client.tools.retrieve(tool.id).tags == ["q"]


def test_delete():
    t = client.tools.create(source_code=code("f_" + name("x").replace("-", "_")))
    client.tools.delete(tool_id=t.id)
    with pytest.raises(NotFoundError):
        client.tools.retrieve(tool_id=t.id)


def test_base_tools_are_listed():
    have = {t.name for t in client.tools.list(limit=200)}
    assert {
        "conversation_search",
        "archival_memory_insert",
        "archival_memory_search",
        "memory_insert",
        "memory_replace",
    } <= have


def test_attach_detach(tool):
    with agent() as a:
        client.agents.tools.attach(tool.id, agent_id=a.id)
        assert tool.id in [t.id for t in client.agents.tools.list(agent_id=a.id)]
        client.agents.tools.detach(tool.id, agent_id=a.id)
        assert tool.id not in [t.id for t in client.agents.tools.list(agent_id=a.id)]


def test_agent_calls_it(tool):
    with agent(tool_ids=[tool.id]) as a:
        r = send(a, f'CALL {tool.name} {{"a":2,"b":40}}')
        t = next(m for m in r.messages if m.message_type == "tool_return_message")
        assert t.status == "success" and "42" in t.tool_return and t.name == tool.name


def test_its_error_is_returned():
    fn = "bad_" + name("x").replace("-", "_")
    t = client.tools.create(source_code=code(fn, 'raise ValueError("broken on purpose")'))
    with agent(tool_ids=[t.id]) as a:
        r = send(a, f"CALL {fn} {{}}")
        m = next(m for m in r.messages if m.message_type == "tool_return_message")
        assert m.status == "error" and "broken on purpose" in (m.tool_return + str(m.stderr))
    client.tools.delete(t.id)


def test_terminal_rule_ends_turn(tool):
    with agent(tool_ids=[tool.id], tool_rules=[{"type": "exit_loop", "tool_name": tool.name}]) as a:
        r = send(a, f'CALL {tool.name} {{"a":1,"b":1}}')
        assert (
            kinds(r.messages) == ["tool_call_message", "tool_return_message"]
            and r.stop_reason.stop_reason == "tool_rule"
        )


def test_tool_rules_are_kept(tool):
    with agent(
        tool_ids=[tool.id],
        tool_rules=[
            {"type": "exit_loop", "tool_name": tool.name},
            {"type": "max_count_per_step", "tool_name": tool.name, "max_count_limit": 2},
        ],
    ) as a:
        assert {r.type for r in client.agents.retrieve(a.id).tool_rules} >= {
            "exit_loop",
            "max_count_per_step",
        }


def test_client_tool_pauses_and_goes_on():
    spec = {
        "name": "read_clock",
        "description": "Tells the time.",
        "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
    }
    with agent(include_base_tools=False) as a:
        r = client.agents.messages.create(
            agent_id=a.id,
            messages=[{"role": "user", "content": 'CALL read_clock {"zone":"UTC"}'}],
            client_tools=[spec],
        )
        assert (
            r.stop_reason.stop_reason == "requires_approval"
            and kinds(r.messages)[-1] == "approval_request_message"
        )
        c = r.messages[-1].tool_call
        assert c.name == "read_clock"
        r = client.agents.messages.create(
            agent_id=a.id,
            messages=[
                {
                    "type": "approval",
                    "approvals": [
                        {
                            "type": "tool",
                            "tool_call_id": c.tool_call_id,
                            "tool_return": "noon",
                            "status": "success",
                        }
                    ],
                }
            ],
            client_tools=[spec],
        )
        assert r.stop_reason.stop_reason == "end_turn" and "noon" in said(r.messages)


def approval_agent(t):
    return agent(tool_ids=[t.id], include_base_tools=False)


@pytest.fixture
def careful():
    t = client.tools.create(
        source_code=TOOL.replace("add_numbers", "sum_" + name("n").replace("-", "_")),
        default_requires_approval=True,
    )
    yield t
    with contextlib.suppress(Exception):
        client.tools.delete(tool_id=t.id)


def ask(a, t):
    return send(a, f'CALL {t.name} {{"a":20,"b":3}}')


def test_approval_is_asked(careful):
    with approval_agent(careful) as a:
        r = ask(a, careful)
        assert (
            r.stop_reason.stop_reason == "requires_approval"
            and r.messages[-1].message_type == "approval_request_message"
            and r.messages[-1].tool_call.name == careful.name
        )


def test_approved_call_runs(careful):
    with approval_agent(careful) as a:
        m = ask(a, careful).messages[-1]
        r = client.agents.messages.create(
            agent_id=a.id,
            messages=[
                {
                    "type": "approval",
                    "approvals": [
                        {"type": "approval", "tool_call_id": m.tool_call.tool_call_id, "approve": True}
                    ],
                }
            ],
        )
        assert (
            "tool_return_message" in kinds(r.messages)
            and "23" in said(r.messages)
            and r.stop_reason.stop_reason == "end_turn"
        )


def test_message_while_waiting_is_409(careful):
    with approval_agent(careful) as a:
        ask(a, careful)
        with pytest.raises(APIStatusError) as e:
            send(a, "hello?")
        assert e.value.status_code == 409


def test_old_approval_form(careful):
    with approval_agent(careful) as a:
        m = ask(a, careful).messages[-1]
        r = client.agents.messages.create(
            agent_id=a.id, messages=[{"type": "approval", "approve": True, "approval_request_id": m.id}]
        )
        assert "23" in said(r.messages)
