"""Reads the source code of one tool, or runs it, in a process that the caller has isolated.

The request is read as JSON from stdin, and the answer is written as JSON to file descriptor 3. Invariant: before the source code
is parsed, limits and a system call filter are in force that cannot be removed; the process that runs a tool lacks descriptor 3.
"""

import json
import os
import select
import sys


def main():
    request = json.loads(sys.stdin.buffer.read())
    os.set_inheritable(3, False)
    # Closes descriptors that the host's process has left open.
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.path.extend(request["packages"])
    restrict(request["limits"])
    try:
        answer = describe(request) if request["task"] == "describe" else call(request)
    except Refusal as refusal:
        answer = {"status": "refused", "text": str(refusal)}
    write_all(3, json.dumps(answer).encode())
    # Exits without Python's cleanup, because there is nothing to clean up.
    os._exit(0)


def write_all(descriptor, data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Refusal(Exception):
    """An error in the source code, described for its author."""


# Limits ------------------------------------------------------------------------------------------------------------------

# Numbers of the system calls that are refused, for x86_64 and aarch64: namespaces, mounts, tracing, keys, kernel modules,
# and interfaces of the kernel that a tool does not need.
REFUSED = {
    "ptrace": (101, 117), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "pidfd_getfd": (438, 438),
    "syslog": (103, 116), "acct": (163, 89), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "quotactl": (179, 60), "personality": (135, 92), "fanotify_init": (300, 262), "kcmp": (312, 272),
    # Calls that allocate memory which no limit of a process counts.
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "vmsplice": (278, 75),
    # Calls that leave the process group, which is killed at the end.
    "setsid": (112, 157), "setpgid": (109, 154),
}  # fmt: skip
PRCTL, SET_PARENT_DEATH_SIGNAL = (157, 167), 1
MMAP, SHARED, ANONYMOUS = (9, 222), 0x01, 0x20
SOCKET, CLONE, CLONE3 = (41, 198), (56, 220), (435, 435)
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
NEW_NAMESPACES = 0x7E020080
EPERM, EACCES, ENOSYS = 1, 13, 38


def restrict(limits):
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits["seconds"], limits["seconds"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["fileBytes"],) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["openFiles"],) * 2)
    # One more than the limit, for this process, which is not one of the tool's processes.
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"] + 1,) * 2)
    filter_system_calls()
    resource.setrlimit(resource.RLIMIT_AS, (limits["memoryBytes"],) * 2)


def filter_system_calls():
    import ctypes
    import struct

    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        raise SystemExit(f"the sandbox needs x86_64 or aarch64, but this machine is {machine}")
    column, audit = ARCHITECTURES[machine]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill = 0x7FFF0000, 0x80000000

    def refuse(error):
        return (give, 0, 0, 0x00050000 | error)

    # Offsets in seccomp_data: 0 the number, 4 the architecture, 16 the first argument, 40 the fourth.
    program = [(load, 0, 0, 4), (equal, 1, 0, audit), (give, 0, 0, kill), (load, 0, 0, 0)]
    # Refuses the system calls of the x32 interface, whose numbers begin at 0x40000000.
    program += [(at_least, 0, 1, 0x40000000), refuse(EPERM)]
    for numbers in REFUSED.values():
        program += [(equal, 0, 1, numbers[column]), refuse(EPERM)]
    # Without clone3, glibc uses clone, whose flags the filter can read.
    program += [(equal, 0, 1, CLONE3[column]), refuse(ENOSYS)]
    program += [(equal, 0, 4, CLONE[column]), (load, 0, 0, 16), (any_bit, 0, 1, NEW_NAMESPACES), refuse(EPERM)]
    program += [(give, 0, 0, allow)]
    program += [(equal, 0, 4, PRCTL[column]), (load, 0, 0, 16), (equal, 0, 1, SET_PARENT_DEATH_SIGNAL), refuse(EPERM)]
    program += [(give, 0, 0, allow)]
    # Shared anonymous memory is refused: all of it stays allocated while one page is mapped.
    program += [(equal, 0, 5, MMAP[column]), (load, 0, 0, 40), (any_bit, 0, 2, SHARED), (any_bit, 0, 1, ANONYMOUS)]
    program += [refuse(EPERM), (give, 0, 0, allow)]
    # Allows only sockets of the Unix domain, because a network namespace does not isolate all other kinds.
    program += [(equal, 0, 3, SOCKET[column]), (load, 0, 0, 16), (equal, 1, 0, 1), refuse(EACCES)]
    program += [(give, 0, 0, allow)]

    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    filtered = Program(len(program), ctypes.cast(buffer, ctypes.c_void_p))
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    libc.prctl(no_new_privileges, 1, 0, 0, 0)
    if libc.prctl(set_seccomp, mode_filter, ctypes.byref(filtered), 0, 0) != 0:
        raise SystemExit(f"the kernel refused the filter of system calls: {os.strerror(ctypes.get_errno())}")


# Reading -----------------------------------------------------------------------------------------------------------------

TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
ALIASES = {"List": "list", "Dict": "dict"}
KNOWN = "str, int, float, bool, list[...], dict, Optional[...] or Literal[...]"
ARGUMENTS = {"Args", "Arguments", "Parameters", "Params"}
SECTIONS = ARGUMENTS | {
    "Returns", "Return", "Yields", "Raises", "Example", "Examples", "Note", "Notes", "Warning", "Warnings", "See Also",
}  # fmt: skip


def describe(request):
    import ast
    import inspect

    function = find_function(parse(request["source"]), request.get("name"))
    docstring = inspect.cleandoc(ast.get_docstring(function, clean=False) or "")
    description, documented = read_docstring(docstring)
    properties, required = {}, []
    for argument, default in arguments_of(function):
        text, documented_type = documented.get(argument.arg, ("", None))
        schema = schema_of(argument, documented_type)
        properties[argument.arg] = {**schema, **({"description": text} if text else {})}
        if default is None:
            required.append(argument.arg)
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"status": "ok", "name": function.name, "description": description, "parameters": parameters}


def parse(source):
    import ast
    import warnings

    warnings.simplefilter("ignore")
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Refusal(f"line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Refusal(f"line 1: Python cannot parse the source code ({type(error).__name__})") from None


def find_function(tree, name):
    import ast

    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    public = [node for node in functions if not node.name.startswith("_")]
    if name is not None:
        public = [node for node in functions if node.name == name]
        if not public:
            raise Refusal(f"line 1: expected a function named {name}, got none")
    documented = [node for node in public if ast.get_docstring(node)]
    for candidates in (public, documented):
        if len(candidates) == 1:
            return candidates[0]
    if not public:
        what = f"a {type(tree.body[0]).__name__}" if tree.body else "an empty text"
        raise Refusal(f"line 1: expected a function (def NAME(...):) at the top level, got {what}")
    if name is not None:
        return public[-1]
    listed = ", ".join(f"{node.name} (line {node.lineno})" for node in public)
    raise Refusal(f"line {public[1].lineno}: expected one function that is the tool, got {listed}; "
                  "give the tool's name, or begin the names of the others with an underscore")  # fmt: skip


def arguments_of(function):
    """Returns the arguments, each with its default or None."""
    arguments = function.args
    for unusable, what in ((arguments.vararg, "*"), (arguments.kwarg, "**")):
        if unusable is not None:
            raise Refusal(f"line {unusable.lineno}: expected arguments with a name and a type, got {what}{unusable.arg}")
    if arguments.posonlyargs:
        first = arguments.posonlyargs[0]
        raise Refusal(f"line {first.lineno}: expected arguments that can be passed by name, got {first.arg} before /")
    missing = [None] * (len(arguments.args) - len(arguments.defaults))
    yield from zip(arguments.args, [*missing, *arguments.defaults])
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults)


def schema_of(argument, documented_type):
    import ast

    if argument.annotation is not None:
        return type_schema(argument.annotation, argument)
    try:
        written = None if documented_type is None else ast.parse(documented_type, mode="eval").body
    except SyntaxError:
        written = None
    if written is None:
        raise Refusal(f"line {argument.lineno}: expected a type for {argument.arg}: {KNOWN}, got none")
    return type_schema(written, argument)


def type_schema(node, argument):
    import ast

    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return type_schema(ast.parse(node.value, mode="eval").body, argument)
        except SyntaxError:
            raise unknown_type(node, argument) from None
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = name_of(node)
        if name in TYPES:
            return {"type": TYPES[name], **({"items": {}} if name == "list" else {})}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union_schema([node.left, node.right], argument)
    if isinstance(node, ast.Subscript):
        return generic_schema(node, argument)
    raise unknown_type(node, argument)


def generic_schema(node, argument):
    import ast

    name = name_of(node.value)
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "list" and len(inner) == 1:
        return {"type": "array", "items": type_schema(inner[0], argument)}
    if name == "dict" and len(inner) == 2 and name_of(inner[0]) == "str":
        return {"type": "object", "additionalProperties": type_schema(inner[1], argument)}
    if name == "Optional" and len(inner) == 1:
        return type_schema(inner[0], argument)
    if name == "Union":
        return union_schema(inner, argument)
    if name == "Literal" and all(isinstance(one, ast.Constant) for one in inner):
        return literal_schema([one.value for one in inner], node, argument)
    raise unknown_type(node, argument)


def union_schema(nodes, argument):
    """Returns the schema of a union. None is left out of it, because it only means that the argument is optional."""
    import ast

    given = [node for node in nodes if not (isinstance(node, ast.Constant) and node.value is None)]
    schemas = [type_schema(node, argument) for node in given]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def literal_schema(values, node, argument):
    for kind, name in ((bool, "boolean"), (str, "string"), (int, "integer")):
        if all(type(value) is kind for value in values):
            return {"type": name, "enum": values}
    raise unknown_type(node, argument)


def unknown_type(node, argument):
    import ast

    return Refusal(f"line {argument.lineno}: expected {KNOWN} as the type of {argument.arg}, got {ast.unparse(node)}")


def name_of(node):
    import ast

    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return ALIASES.get(name, name)


def read_docstring(docstring):
    """Returns the description, and the text and type of each argument, from lines such as `name (type): text`."""
    lines = docstring.splitlines()
    heads = [at for at, line in enumerate(lines) if line.rstrip(":") in SECTIONS and line.endswith(":")]
    description = "\n".join(lines[: heads[0]] if heads else lines).strip()
    documented = {}
    for at, end in zip(heads, [*heads[1:], len(lines)]):
        if lines[at].rstrip(":") in ARGUMENTS:
            documented.update(read_arguments(lines[at + 1 : end]))
    return description, documented


def read_arguments(lines):
    import re

    item = re.compile(r"(\s+)(\w+)\s*(?:\((.*?)\))?\s*:\s*(.*)")
    documented, indentation, name = {}, None, None
    for line in lines:
        match = item.fullmatch(line)
        if match and (indentation is None or len(match[1]) <= indentation):
            indentation, name = len(match[1]), match[2]
            documented[name] = (match[4].strip(), (match[3] or "").removesuffix(", optional") or None)
        elif name is not None and line.strip():
            text, written = documented[name]
            documented[name] = (f"{text} {line.strip()}".strip(), written)
    return documented


# Running -----------------------------------------------------------------------------------------------------------------


RETURNED, FAILED = b"+", b"-"


def call(request):
    """Runs the function in a child process, whose only channel to this one is a pipe: a byte for the outcome, and the text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(3)
        os.close(reader)
        run_as_child(request, writer)
    os.close(writer)
    sent = receive(reader, child, request["limits"]["resultBytes"])
    if sent is None:
        return {"status": "failed", "text": "the code returned more than the sandbox allows"}
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    outcome = {RETURNED: "ok", FAILED: "failed"}.get(sent[:1])
    if code != 0 or outcome is None:
        # Like a shell, exits with 128 + the number of the signal that ended the child.
        os._exit(code if code >= 0 else 128 - code)
    return {"status": outcome, "text": sent[1:].decode(errors="replace")}


def receive(reader, child, limit):
    """Returns everything that the child sends until it ends; None if that exceeds the limit."""
    ended = os.pidfd_open(child)
    poll = select.poll()
    for descriptor in (reader, ended):
        poll.register(descriptor, select.POLLIN)
    sent = bytearray()
    while len(sent) <= limit:
        ready = [descriptor for descriptor, _ in poll.poll()]
        part = os.read(reader, 65536) if reader in ready else b""
        if part:
            sent += part
        elif ended in ready:
            # Waits for the end of the child, not of the pipe, which processes that the child left behind may keep open.
            return bytes(sent)
        else:
            poll.unregister(reader)
    return None


def run_as_child(request, writer):
    outcome, text = outcome_of(request)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue  # The tool has closed or replaced the stream.
    write_all(writer, outcome + text.encode(errors="replace"))
    # Exits without waiting for threads of the tool.
    os._exit(0)


def outcome_of(request):
    try:
        return run_function(request)
    except MemoryError:
        pass
    # Outside of the `except`, so that the memory of the failed function is free again.
    return FAILED, "MemoryError"


def run_function(request):
    import linecache
    import types

    source, name = request["source"], request["name"]
    linecache.cache["<tool>"] = (len(source), None, source.splitlines(keepends=True), "<tool>")
    try:
        module = sys.modules["tool"] = types.ModuleType("tool")
        exec(compile(source, "<tool>", "exec"), module.__dict__)
        value = getattr(module, name)(**request["arguments"])
        if hasattr(value, "__await__"):
            import asyncio

            value = asyncio.run(value)
        return RETURNED, text_of(value)
    except MemoryError:
        raise
    except BaseException as error:  # Also SystemExit: a tool that calls sys.exit has failed.
        return FAILED, report(error)


def text_of(value):
    if isinstance(value, str):
        return value
    return "None" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def report(error):
    """Prints the traceback within the tool, and returns the error's message."""
    import traceback

    kept = traceback.TracebackException(type(error), error, error.__traceback__)
    kept.stack = traceback.StackSummary.from_list([frame for frame in kept.stack if frame.filename == "<tool>"])
    try:
        print("".join(kept.format()), file=sys.stderr)
    except Exception:  # The tool has closed or replaced sys.stderr.
        return message_of(kept)
    return message_of(kept)


def message_of(kept):
    return "".join(kept.format_exception_only()).strip()


if __name__ == "__main__":
    main()
