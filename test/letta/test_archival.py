# Archival memory and archives of Letta's API, by its Python client.
from support import *
import pytest


def texts(a, **kw):
    return [p.text for p in client.agents.passages.list(agent_id=a.id, **kw)]


def test_insert_list_delete():
    with agent() as a:
        p = client.agents.passages.create(agent_id=a.id, text="The boat is blue", tags=["boat"])
        p = p[0] if isinstance(p, list) else p
        assert p.id.startswith("passage-") and texts(a) == ["The boat is blue"]
        client.agents.passages.delete(p.id, agent_id=a.id)
        assert texts(a) == []


def test_search_finds():
    with agent() as a:
        for t in ("The boat is blue", "Zebras eat grass", "Rain falls in Bergen"):
            client.agents.passages.create(agent_id=a.id, text=t)
        r = client.agents.passages.search(agent_id=a.id, query="zebras grass", top_k=1)
        assert r.count == 1 and r.results[0].content == "Zebras eat grass"


def test_search_by_tags():
    with agent() as a:
        client.agents.passages.create(agent_id=a.id, text="one thing", tags=["x"])
        client.agents.passages.create(agent_id=a.id, text="another thing", tags=["y"])
        r = client.agents.passages.search(agent_id=a.id, query="thing", tags=["y"])
        assert [x.content for x in r.results] == ["another thing"] and r.results[0].tags == ["y"]


def test_text_filter_and_pages():
    with agent() as a:
        for i in range(4):
            client.agents.passages.create(agent_id=a.id, text=f"note number {i}")
        assert len(texts(a, limit=2)) == 2 and texts(a, search="number 3") == ["note number 3"]


def test_apart_between_agents():
    with agent() as a, agent() as b:
        client.agents.passages.create(agent_id=a.id, text="secret of a")
        assert texts(b) == []


def test_agent_tools_write_and_find():
    with agent(tools=["archival_memory_insert", "archival_memory_search"]) as a:
        send(a, 'CALL archival_memory_insert {"content":"Bolt is a dog"}')
        assert "Bolt is a dog" in texts(a)
        r = send(a, 'CALL archival_memory_search {"query":"dog Bolt"}')
        t = next(m for m in r.messages if m.message_type == "tool_return_message")
        assert "Bolt is a dog" in t.tool_return


def test_archives():
    ar = client.archives.create(name=name("archive"), embedding=EMBED)
    assert ar.id.startswith("archive-")
    try:
        assert client.archives.retrieve(archive_id=ar.id).name == ar.name and ar.id in [
            x.id for x in client.archives.list()
        ]
        p = client.archives.passages.create(archive_id=ar.id, text="in the archive")
        assert p.text == "in the archive" and p.archive_id == ar.id
        with agent() as a:
            client.agents.archives.attach(ar.id, agent_id=a.id)
            assert "in the archive" in texts(a)
            client.agents.archives.detach(ar.id, agent_id=a.id)
            assert "in the archive" not in texts(a)
        assert client.archives.update(archive_id=ar.id, description="d").description == "d"
    finally:
        client.archives.delete(archive_id=ar.id)


def test_passage_search_over_agent():
    with agent() as a:
        client.agents.passages.create(agent_id=a.id, text="Kayaks are narrow")
        r = client.passages.search(agent_id=a.id, query="kayaks")
        assert r[0].passage.text == "Kayaks are narrow"
