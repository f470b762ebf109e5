# What the tests of the Python client share. `.ci/letta.sh` starts the server and its scripted model, and runs them.
# Environment: LETTA_BASE_URL, LETTA_API_KEY, and MCP_URL of an MCP server (mcp-server.mjs). The words that script the model are in scripted-model.mjs.
import os, time, uuid, contextlib, warnings
import httpx
from letta_client import Letta

warnings.filterwarnings("ignore")
BASE = os.environ["LETTA_BASE_URL"].rstrip("/")
MODEL = "openai/gpt-4o-mini"
EMBED = "local/use-lite"
KEY = os.environ["LETTA_API_KEY"]
MCP = os.environ["MCP_URL"]
TIMEOUT = 60
client = Letta(base_url=BASE, api_key=KEY, timeout=TIMEOUT, max_retries=0)
raw = httpx.Client(
    base_url=BASE,
    timeout=TIMEOUT,
    headers={"Authorization": f"Bearer {KEY}"},
    follow_redirects=True,
)


def name(p="t"):
    return f"{p}-{uuid.uuid4().hex[:8]}"


def new_agent(**kw):
    a = dict(
        name=name("agent"),
        model=MODEL,
        embedding=EMBED,
        memory_blocks=[{"label": "human", "value": "Name: Ada"}, {"label": "persona", "value": "I am Bo."}],
    )
    a.update(kw)
    return client.agents.create(**a)


@contextlib.contextmanager
def agent(**kw):
    a = new_agent(**kw)
    try:
        yield a
    finally:
        with contextlib.suppress(Exception):
            client.agents.delete(a.id)


def send(a, text, **kw):
    return client.agents.messages.create(agent_id=a.id, messages=[{"role": "user", "content": text}], **kw)


def kinds(ms):
    return [m.message_type for m in ms]


def said(ms):
    return " ".join(
        m.content if isinstance(m.content, str) else " ".join(p.text for p in m.content)
        for m in ms
        if m.message_type == "assistant_message"
    )


def shown(a, **kw):
    return [m for m in client.agents.messages.list(agent_id=a.id, **kw).items]


def wait(f, seconds=60, every=0.5):
    end = time.time() + seconds
    while True:
        v = f()
        if v or time.time() > end:
            return v
        time.sleep(every)


def sse(text):  # the events of a stream, as (event, data) pairs in order
    out = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        ev, data = None, []
        for line in block.split("\n"):
            if line.startswith("event:"):
                ev = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].lstrip(" "))
        if data:
            out.append((ev, "\n".join(data)))
    return out


TOOL = '''
def add_numbers(a: int, b: int) -> str:
    """
    Adds two numbers.

    Args:
        a (int): the first
        b (int): the second

    Returns:
        str: the sum
    """
    return str(a + b)
'''


def code(fn, body='return "ok"', arg=""):
    doc = f"\n    Args:\n        {arg} (str): a word\n" if arg else ""
    return f'def {fn}({arg + ": str" if arg else ""}) -> str:\n    """\n    A tool for tests.\n{doc}\n    Returns:\n        str: a text\n    """\n    {body}\n'
