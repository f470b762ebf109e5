# Blocks of Letta's API, by its Python client.
from support import *
import pytest
from letta_client import NotFoundError, UnprocessableEntityError, APIStatusError


def block(**kw):
    return client.blocks.create(**{"label": "note", "value": "v", **kw})


def test_crud():
    b = block(value="one", description="d", metadata={"a": 1})
    assert b.id.startswith("block-") and b.value == "one" and b.description == "d" and b.metadata == {"a": 1}
    assert client.blocks.retrieve(block_id=b.id).value == "one"
    assert (
        client.blocks.update(block_id=b.id, value="two").value == "two"
        and client.blocks.retrieve(b.id).value == "two"
    )
    client.blocks.delete(block_id=b.id)
    with pytest.raises(NotFoundError):
        client.blocks.retrieve(block_id=b.id)


def test_default_limit():
    b = block()
    assert b.limit == 100000
    client.blocks.delete(b.id)


def test_limit_is_kept_and_told():
    b = block(value="short", limit=10)
    assert b.limit == 10 and client.blocks.update(block_id=b.id, limit=20).limit == 20
    client.blocks.delete(b.id)


def test_list_by_label():
    l = name("label")
    b = block(label=l)
    assert [x.id for x in client.blocks.list(label=l)] == [b.id]
    client.blocks.delete(b.id)


def test_agent_block_by_label():
    with agent() as a:
        assert client.agents.blocks.retrieve("human", agent_id=a.id).value == "Name: Ada"
        client.agents.blocks.update("human", agent_id=a.id, value="Name: Eve")
        assert client.agents.blocks.retrieve("human", agent_id=a.id).value == "Name: Eve"
        assert sorted(b.label for b in client.agents.blocks.list(agent_id=a.id)) == ["human", "persona"]


def test_edit_shows_in_prompt():
    with agent() as a:
        client.agents.blocks.update("human", agent_id=a.id, value="Name: Quagga")
        assert "Quagga" in said(send(a, "ECHO-SYSTEM").messages)


def test_attach_detach():
    b = block(label=name("extra"), value="extra text")
    with agent() as a:
        s = client.agents.blocks.attach(b.id, agent_id=a.id)
        assert b.id in [x.id for x in s.memory.blocks]
        s = client.agents.blocks.detach(b.id, agent_id=a.id)
        assert b.id not in [x.id for x in s.memory.blocks]
        assert client.blocks.retrieve(b.id).value == "extra text"
    client.blocks.delete(b.id)


def test_shared_by_two_agents():
    b = block(label="shared", value="before")
    with agent(block_ids=[b.id]) as x, agent(block_ids=[b.id]) as y:
        client.agents.blocks.update("shared", agent_id=x.id, value="after")
        assert client.agents.blocks.retrieve("shared", agent_id=y.id).value == "after"
        assert {g.id for g in client.blocks.agents.list(block_id=b.id)} == {x.id, y.id}
    client.blocks.delete(b.id)


def test_update_label():
    with agent() as a:
        b = client.agents.blocks.retrieve("human", agent_id=a.id)
        client.blocks.update(block_id=b.id, label="person")
        assert client.agents.blocks.retrieve("person", agent_id=a.id).id == b.id
        with pytest.raises(NotFoundError):
            client.agents.blocks.retrieve("human", agent_id=a.id)


def test_read_only_block_is_kept():
    b = block(label="rules", value="fixed", read_only=True)
    with agent(block_ids=[b.id]) as a:
        r = send(a, 'CALL memory_insert {"label":"rules","new_string":"broken"}')
        assert (
            next(m for m in r.messages if m.message_type == "tool_return_message").status == "error"
            and client.blocks.retrieve(b.id).value == "fixed"
        )
    client.blocks.delete(b.id)
