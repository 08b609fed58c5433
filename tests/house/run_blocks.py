"""Run the Python blocks of one page, in order, as one program.

Reads a JSON list of ``[place, code]`` pairs from standard input and writes a JSON list with what
each block printed. A block sees the names of those before it. A failing block ends the run with its
traceback, whose file name is the block's place.
"""

import io
import json
import linecache
import sys
from contextlib import redirect_stdout


def main() -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    printed: list[str] = []
    for place, code in json.load(sys.stdin):
        linecache.cache[place] = (len(code), None, code.splitlines(keepends=True), place)
        with redirect_stdout(io.StringIO()) as output:
            exec(compile(code, place, "exec"), names)  # noqa: S102 - our own pages
        printed.append(output.getvalue())
    json.dump(printed, sys.stdout)


if __name__ == "__main__":
    main()
