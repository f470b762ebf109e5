# Agents of Letta's API, by its Python client.
from support import *
import pytest
from letta_client import NotFoundError, UnprocessableEntityError, APIStatusError

UUID = r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
import re


def test_health():
    h = client.health()
    assert h.status == "ok" and h.version


def test_models_have_handles():
    ms = client.models.list()
    assert MODEL in [m.handle for m in ms]
    m = next(m for m in ms if m.handle == MODEL)
    assert m.context_window > 0 and m.provider_type


def test_embedding_models_have_handles():
    assert EMBED in [m.handle for m in client.models.embeddings.list()]


def test_create_gives_state():
    with agent(description="a test", tags=["x", "y"], metadata={"k": 1}) as a:
        assert (
            re.match("agent" + UUID, a.id)
            and a.agent_type == "letta_v1_agent"
            and a.description == "a test"
            and sorted(a.tags) == ["x", "y"]
            and a.metadata == {"k": 1}
        )
        assert {b.label: b.value for b in a.memory.blocks} == {"human": "Name: Ada", "persona": "I am Bo."}
        assert (
            all(re.match("block" + UUID, b.id) for b in a.memory.blocks)
            and a.llm_config.model
            and a.created_at
        )
        assert {b.label for b in a.blocks} == {"human", "persona"}


def test_retrieve_equals_create():
    with agent() as a:
        b = client.agents.retrieve(agent_id=a.id)
        assert (b.id, b.name, b.system, b.model) == (a.id, a.name, a.system, a.model)


def test_update_keeps_the_rest():
    with agent(description="old", tags=["a"]) as a:
        b = client.agents.update(agent_id=a.id, name=a.name + "-new")
        assert b.name == a.name + "-new" and b.description == "old" and b.tags == ["a"]
        b = client.agents.update(agent_id=a.id, tags=["b", "c"], description="new", system="You are short.")
        assert sorted(b.tags) == ["b", "c"] and b.description == "new" and b.system == "You are short."


def test_delete_then_404():
    a = new_agent()
    client.agents.delete(agent_id=a.id)
    with pytest.raises(NotFoundError) as e:
        client.agents.retrieve(agent_id=a.id)
    assert e.value.status_code == 404 and "detail" in e.value.body


def test_unknown_agent_is_404_with_detail():
    r = raw.get("/v1/agents/agent-00000000-0000-4000-8000-000000000000")
    assert r.status_code == 404 and isinstance(r.json()["detail"], (str, dict))


def test_malformed_id_is_422():
    assert raw.get("/v1/agents/nonsense").status_code == 422


def test_unknown_model_handle_is_404():
    with pytest.raises(NotFoundError) as e:
        new_agent(model="openai/no-such-model-at-all")
    assert "not found" in str(e.value)


def test_list_by_name():
    with agent() as a:
        assert [x.id for x in client.agents.list(name=a.name)] == [a.id]


def test_list_by_tags_any_and_all():
    t1, t2 = name("tag"), name("tag")
    with agent(tags=[t1]) as a, agent(tags=[t1, t2]) as b:
        assert {x.id for x in client.agents.list(tags=[t1])} == {a.id, b.id}
        assert {x.id for x in client.agents.list(tags=[t1, t2], match_all_tags=True)} == {b.id}
        assert {x.id for x in client.agents.list(tags=[t1, t2], match_all_tags=False)} == {a.id, b.id}


def test_list_by_query_text():
    w = name("zebra")
    with agent(name=w + "-x") as a:
        assert [x.id for x in client.agents.list(query_text=w)] == [a.id]


def test_list_pages_by_cursor():
    t = name("tag")
    made = [new_agent(tags=[t]) for _ in range(3)]
    try:
        first = client.agents.list(tags=[t], limit=2, order="asc")
        assert len(first.items) == 2
        assert [x.id for x in client.agents.list(tags=[t], limit=2, order="asc")] == [
            m.id for m in made
        ]  # iterates over all pages
        rest = client.agents.list(tags=[t], limit=2, order="asc", after=first.items[-1].id)
        assert [x.id for x in rest.items] == [made[2].id]
        assert [x.id for x in client.agents.list(tags=[t], order="desc")] == [m.id for m in reversed(made)]
    finally:
        [client.agents.delete(m.id) for m in made]


def test_count():
    n = raw.get("/v1/agents/count").json()
    with agent():
        assert raw.get("/v1/agents/count").json() == n + 1


def test_tags_list():
    t = name("tag")
    with agent(tags=[t]):
        assert t in client.tags.list()


def test_no_base_tools():
    with agent(include_base_tools=False) as a:
        assert a.tools == []


def test_system_prompt_holds_memory():
    with agent() as a:
        assert "Name: Ada" in said(send(a, "ECHO-SYSTEM").messages)


def test_context_window_limit():
    with agent(context_window_limit=20000) as a:
        assert a.llm_config.context_window == 20000


def test_timezone_and_hidden():
    with agent(timezone="Europe/Berlin") as a:
        assert client.agents.retrieve(a.id).timezone == "Europe/Berlin"


def test_model_settings():
    with agent(
        model_settings={"provider_type": "openai", "temperature": 0.25, "max_output_tokens": 1000}
    ) as a:
        m = raw.get(f"/v1/agents/{a.id}").json()["model_settings"]
        assert m["temperature"] == 0.25 and m["max_output_tokens"] == 1000


def test_wrong_body_is_422():
    r = raw.post("/v1/agents/", json={"name": 5, "memory_blocks": "no"})
    assert r.status_code == 422 and "detail" in r.json()
