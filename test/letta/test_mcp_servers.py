# MCP servers of Letta's API, by its Python client, with a real one.
from support import *
import pytest
from letta_client import BadRequestError, ConflictError, NotFoundError


def here(**kw):
    return {"mcp_server_type": "streamable_http", "server_url": MCP, "auth_token": "good", **kw}


@pytest.fixture
def server():
    s = client.mcp_servers.create(server_name=name("words").replace("-", "_"), config=here())
    yield s
    with contextlib.suppress(NotFoundError):
        client.mcp_servers.delete(s.id)


def echo(s):
    (tool,) = client.mcp_servers.tools.list(s.id)
    return tool


def test_create_retrieve_list(server):
    assert server.id.startswith("mcp_server-") and server.mcp_server_type == "streamable_http"
    assert server.server_url == MCP and server.auth_token is None and server.custom_headers is None
    assert client.mcp_servers.retrieve(server.id) == server
    assert server.id in [s.id for s in client.mcp_servers.list()]


def test_update_keeps_the_token(server):
    config = {"mcp_server_type": "streamable_http", "server_url": MCP, "custom_headers": {"X-A": "b"}}
    changed = client.mcp_servers.update(server.id, server_name=server.server_name + "b", config=config)
    assert changed.server_name == server.server_name + "b"
    client.mcp_servers.refresh(server.id)
    assert echo(server).name == changed.server_name + "__echo"


def test_tools(server):
    tool = echo(server)
    assert tool.name == server.server_name + "__echo" and tool.tool_type == "external_mcp"
    assert tool.json_schema["parameters"]["required"] == ["word"] and tool.default_requires_approval
    assert client.mcp_servers.tools.retrieve(tool.id, mcp_server_id=server.id) == tool
    assert client.tools.retrieve(tool.id).name == tool.name


def test_run(server):
    r = client.mcp_servers.tools.run(echo(server).id, mcp_server_id=server.id, args={"word": "hi"})
    assert r.status == "success" and r.func_return == "echo: hi"


def test_refresh(server):
    assert client.mcp_servers.refresh(server.id) == {"added": [], "updated": [], "deleted": [], "problems": []}


def test_wrong_token():
    s = client.mcp_servers.create(server_name=name("words"), config=here(auth_token="wrong"))
    assert client.mcp_servers.tools.list(s.id) == []
    with pytest.raises(NotFoundError) as failure:
        client.mcp_servers.refresh(s.id)
    assert failure.value.body["detail"]["code"] == "MCPServerUnavailable"
    client.mcp_servers.delete(s.id)


def test_delete(server):
    tool = echo(server)
    client.mcp_servers.delete(server.id)
    for gone in (
        lambda: client.mcp_servers.retrieve(server.id),
        lambda: client.mcp_servers.delete(server.id),
        lambda: client.tools.retrieve(tool.id),
    ):
        with pytest.raises(NotFoundError):
            gone()


def test_refused(server):
    with pytest.raises(ConflictError):
        client.mcp_servers.create(server_name=server.server_name, config=here())
    with pytest.raises(BadRequestError) as failure:
        client.mcp_servers.create(
            server_name=name("p"), config={"mcp_server_type": "stdio", "command": "true", "args": []}
        )
    assert "would run on the machine of this host" in failure.value.body["detail"]
    with pytest.raises(BadRequestError):
        client.mcp_servers.create(server_name=name("p"), config={"mcp_server_type": "sse", "server_url": MCP})


def test_agent_calls_after_approval(server):
    tool = echo(server)
    with agent(tool_ids=[tool.id]) as a:
        r = send(a, f'CALL {tool.name} {{"word": "hi"}}')
        (request,) = [m for m in r.messages if m.message_type == "approval_request_message"]
        call = request.tool_call.tool_call_id
        approvals = [{"type": "approval", "tool_call_id": call, "approve": True}]
        r = client.agents.messages.create(agent_id=a.id, messages=[{"type": "approval", "approvals": approvals}])
        (result,) = [m for m in r.messages if m.message_type == "tool_return_message"]
        assert result.status == "success" and "echo: hi" in str(result.tool_return)
