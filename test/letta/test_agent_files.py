# Agent files of Letta's API, by its Python client.
import json

import letta_client
import pytest
from support import *


def exported(a):
    file = client.agents.export_file(a.id)
    return file if isinstance(file, str) else json.dumps(file)


def imported(text, **kw):
    ids = client.agents.import_file(file=("agent.af", text.encode()), **kw).agent_ids
    assert len(ids) == 1
    return client.agents.retrieve(ids[0], include=["agent.blocks", "agent.tools"])


def test_export_and_import():
    with agent(tags=["t"]) as a:
        send(a, "SAY hi")
        copy = imported(exported(a))
        try:
            assert copy.name == a.name and copy.id != a.id
            assert {b.label: b.value for b in copy.blocks} == {"human": "Name: Ada", "persona": "I am Bo."}
            assert kinds(shown(copy)) == kinds(shown(a))
            assert said(send(copy, "SAY again").messages) == "again"
        finally:
            client.agents.delete(copy.id)


def test_name_and_strip_messages():
    with agent() as a:
        send(a, "SAY hi")
        copy = imported(exported(a), name="renamed", strip_messages=True)
        try:
            assert copy.name == "renamed" and "user_message" not in kinds(shown(copy))
        finally:
            client.agents.delete(copy.id)


def test_garbage_is_400():
    with pytest.raises(letta_client.BadRequestError):
        client.agents.import_file(file=("agent.af", b"garbage"))
