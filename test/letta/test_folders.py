# Folders and files of Letta's API, by its Python client.
import contextlib

import letta_client
import pytest
from support import *


@contextlib.contextmanager
def folder(**kw):
    f = client.folders.create(name=name("folder"), embedding=EMBED, **kw)
    try:
        yield f
    finally:
        with contextlib.suppress(Exception):
            client.folders.delete(f.id)


def upload(f, text=b"The harbour master is called Wren.", file_name="notes.txt", **kw):
    return client.folders.files.upload(f.id, file=(file_name, text), **kw)


def names(f):
    return sorted(x.file_name for x in client.folders.files.list(f.id))


def test_create_update_delete():
    f = client.folders.create(name=name("folder"), description="d", embedding=EMBED)
    assert f.id.startswith("source-") and client.folders.retrieve(f.id).description == "d"
    assert f.id in [x.id for x in client.folders.list(name=f.name)]
    assert client.folders.update(f.id, description="e").description == "e"
    with pytest.raises(letta_client.ConflictError):
        client.folders.create(name=f.name, embedding=EMBED)
    client.folders.delete(f.id)
    with pytest.raises(letta_client.NotFoundError):
        client.folders.retrieve(f.id)


def test_upload_is_read():
    with folder() as f:
        u = upload(f)
        assert u.original_file_name == "notes.txt" and u.source_id == f.id
        r = client.folders.files.retrieve(u.id, folder_id=f.id)
        assert r.processing_status == "completed" and r.total_chunks == 1 and names(f) == ["notes.txt"]
        client.folders.files.delete(u.id, folder_id=f.id)
        assert names(f) == []


def test_duplicates():
    with folder() as f:
        first = upload(f)
        upload(f, b"Second.")
        assert upload(f, b"Third.", duplicate_handling="skip").id == first.id
        upload(f, b"Fourth.", duplicate_handling="replace")
        with pytest.raises(letta_client.BadRequestError):
            upload(f, b"Fifth.", duplicate_handling="error")
        assert names(f) == ["notes.txt", "notes_(1).txt"]


def test_unreadable_is_415():
    with folder() as f:
        with pytest.raises(letta_client.APIStatusError) as e:
            upload(f, bytes(range(256)), "x.bin")
        assert e.value.status_code == 415 and names(f) == []


def test_attach_detach():
    with folder() as f, agent(folder_ids=[f.id]) as a:
        upload(f)
        assert [x.id for x in client.agents.folders.list(a.id)] == [f.id]
        assert [x.file_name for x in client.agents.files.list(a.id)] == ["notes.txt"]
        client.agents.folders.detach(f.id, agent_id=a.id)
        assert list(client.agents.folders.list(a.id)) == []
        client.agents.folders.attach(f.id, agent_id=a.id)
        assert [s.id for s in client.agents.retrieve(a.id, include=["agent.sources"]).sources] == [f.id]
