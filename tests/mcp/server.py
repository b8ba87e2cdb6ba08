"""A server of tools by the official SDK for Python.

server.py ERA [PORT]: ERA is `modern` (refuses the handshake), `legacy` (knows only the handshake) or `both`; on standard
input and output, or over HTTP on a port of this machine.
"""
import sys

from mcp.server import runner, streamable_http_manager as http
from mcp.server.mcpserver import MCPServer

ERA = sys.argv[1]
server = MCPServer("tea")


@server.tool()
def brew(kind: str) -> str:
    """Brew tea."""
    return f"hot {kind} tea"


async def no_handshake(*args, **kwargs):
    sys.exit("the handshake is not spoken here")


if ERA == "modern":
    runner._serve_legacy_stream = no_handshake
    http.HANDSHAKE_PROTOCOL_VERSIONS = ()
if ERA == "legacy":
    runner._has_modern_envelope = lambda params: False
    http.HANDSHAKE_PROTOCOL_VERSIONS = (*http.HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28")

if len(sys.argv) > 2:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]), json_response=ERA == "both")
else:
    server.run()
