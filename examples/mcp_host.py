"""A host that asks an MCP server before each turn, over stdio, as a desktop client would start it.

    python examples/mcp_host.py agent.db --subject ada

What you say is stored; what was released is shown. Reads lines until end of file.
"""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters


async def converse(server: StdioServerParameters) -> None:
    """Recall, show, store; one line after the other."""
    async with Client(server) as client:
        for line in filter(str.strip, sys.stdin):
            recalled = await client.call_tool("memory_recall_decision", {"query": line})
            answer = recalled.structured_content
            if recalled.is_error or not isinstance(answer, dict):
                print("memory failed:", recalled.content, file=sys.stderr)
                continue
            print(answer["decision"]["support_class"])
            print(answer["context"] or "(nothing to inject)")
            await client.call_tool("memory_store", {"text": line})


def main() -> None:
    """Start the server and talk to it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", metavar="DB", type=Path)
    parser.add_argument("--subject", required=True, help="whose memory")
    options = parser.parse_args()
    words = ["-m", "atmem_cli", "mcp", str(options.db.resolve()), "--subject", options.subject]
    # A client gives a server hardly any of its environment by itself.
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    asyncio.run(converse(server))


if __name__ == "__main__":
    main()
