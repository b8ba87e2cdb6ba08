"""Convenes a table through the official client of the Model Context Protocol for Python."""
import asyncio, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            print("tools:", ", ".join(tool.name for tool in tools.tools))
            print("prompts:", len((await session.list_prompts()).prompts))

            async def progress(done, total, message):
                print("progress:", done, message)

            arguments = {"topic": "Tea or coffee?", "rehearsed": True}
            result = await session.call_tool("convene", arguments, progress_callback=progress)
            # the second version of the package spells it otherwise
            data = getattr(result, "structured_content", None) or result.structuredContent
            print("complete:", data["complete"])
            print("answer:", data["answer"])
            resources = (await session.list_resources()).resources
            text = await session.read_resource(resources[0].uri)
            print("resource:", len(text.contents[0].text))


asyncio.run(main())
