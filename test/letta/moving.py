# Moves agents by Letta's Python client, as docs/from-letta.md shows: writes what the server of LETTA_BASE_URL has into the current
# folder, and talks with the agent "scout". `.ci/letta.sh` runs it.
# region export
import json
import pathlib

from letta_client import Letta

source = Letta()  # reads LETTA_API_KEY, and LETTA_BASE_URL if it is not Letta's cloud
for agent in source.agents.list():
    file = source.agents.export_file(agent.id)
    text = file if isinstance(file, str) else json.dumps(file)
    pathlib.Path(f"{agent.name}.af").write_text(text)
    with open(f"{agent.name}.jsonl", "w") as passages:
        after = None
        while page := source.agents.passages.list(agent.id, limit=100, after=after, ascending=True):
            for passage in page:
                passages.write(json.dumps({"text": passage.text, "tags": passage.tags or []}) + "\n")
            after = page[-1].id
# endregion

# region client
key = pathlib.Path.home().joinpath(".palimpsest/server-key").read_text().strip()
client = Letta(base_url="http://127.0.0.1:8283", api_key=key)
scout = next(agent for agent in client.agents.list() if agent.name == "scout")
reply = client.agents.messages.create(scout.id, messages=[{"role": "user", "content": "SAY hi"}])
print(reply.messages[-1].content)
# endregion
