# Prints the parameters that each function of Letta's official Python client declares, by route, as JSON: test/letta/parameters.json.
# Read from the client's own files, so that a newer client is compared with what it has.
import ast
import json
import pathlib
import re

import letta_client

ROUTE = re.compile(r"""self\._(get|post|put|patch|delete|get_api_list)\(\s*(?:path_template\(\s*)?f?["']([^"']+)["']""")
FORM = re.compile(r"\b(\w+_params)\.\w+Params")
ALIAS = re.compile(r"""^    (\w+): .*alias="([^"]+)"\)""", re.M)
NOT_SENT = {"extra_headers", "extra_query", "extra_body", "timeout"}


def functions(source):
    for resource in ast.parse(source).body:
        if isinstance(resource, ast.ClassDef) and re.fullmatch(r"(?!Async)\w+Resource", resource.name):
            yield from (one for one in resource.body if isinstance(one, ast.FunctionDef))


def sent_names(text, place):
    """Names on the wire, where they differ from those of the arguments. A form is beside its resource, or above it."""
    types = folder / "types" / place
    forms = [next(at / f"{form}.py" for at in (types, *types.parents) if (at / f"{form}.py").exists()) for form in FORM.findall(text)]
    return dict(pair for form in forms for pair in ALIAS.findall(form.read_text()))


folder = pathlib.Path(letta_client.__file__).parent
routes = {}
for file in folder.joinpath("resources").rglob("*.py"):
    source = file.read_text()
    for function in functions(source):
        text = ast.get_source_segment(source, function)
        found = ROUTE.search(text)
        if found is None:
            continue
        method, path = found.groups()
        in_path = set(re.findall(r"\{(\w+)", path))
        names = sent_names(text, file.parent.relative_to(folder / "resources"))
        arguments = {argument.arg for argument in function.args.kwonlyargs} - NOT_SENT - in_path
        declared = {names.get(argument, argument) for argument in arguments}
        if declared:
            name = f"{'get' if method == 'get_api_list' else method} {re.sub(r'{[^}]*}', '*', path).rstrip('/')}"
            routes.setdefault(name, set()).update(declared)

print(json.dumps({name: sorted(routes[name]) for name in sorted(routes)}, indent=2))
