"""Convenes a table through the official client of the Model Context Protocol for Python.

client.py PROGRAM MODE [http]: MODE is `legacy` (handshake only), `2026-07-28` (no handshake at all), `auto`, or `tasks`
(as `2026-07-28`, and `convene` becomes a task).
"""
import asyncio, os, sys, tempfile
from typing import Any, Literal

import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client

PROGRAM, MODE = sys.argv[1:3]


class TaskHandle(types.Result):
    result_type: Literal["task"]
    task_id: str
    status: str
    poll_interval_ms: int | None = None


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class CancelTask(types.Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class TaskState(types.Result):
    result_type: str
    task_id: str
    status: str
    result: dict[str, Any] | None = None


class Ack(types.Result):
    result_type: str


async def state(session, task):
    return await session.send_request(GetTask(params=TaskParams(task_id=task)), TaskState)


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"
    cancels = False

    def claims(self):
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self.resolve)]

    async def resolve(self, handle, context):
        print("task:", handle.status)
        if self.cancels:
            request = CancelTask(params=TaskParams(task_id=handle.task_id))
            await context.session.send_request(request, Ack)
        while True:
            now = await state(context.session, handle.task_id)
            if now.status != "working":
                print("task:", now.status)
                if now.result is None:
                    return types.CallToolResult(content=[])
                return types.CallToolResult.model_validate(now.result)
            await asyncio.sleep(0.2)


async def talk(server):
    tasks = Tasks()
    mode, extensions = ("2026-07-28", [tasks]) if MODE == "tasks" else (MODE, None)
    async with Client(server, mode=mode, extensions=extensions) as client:
        print("version:", client.protocol_version)
        print("tools:", len((await client.list_tools()).tools))
        print("prompts:", len((await client.list_prompts()).prompts))
        seen = []

        async def progress(done, total, message):
            seen.append(done)

        arguments = {"topic": "Tea or coffee?", "rehearsed": True}
        result = await client.call_tool("convene", arguments, progress_callback=progress)
        print("complete:", result.structured_content["complete"])
        print("progress:", len(seen) > 0)
        resources = (await client.list_resources()).resources
        text = await client.read_resource(resources[0].uri)
        print("resource:", len(text.contents[0].text) > 100)
        wrong = await client.call_tool("convene", {"nonsense": 1})
        print("error:", wrong.is_error)
        if MODE == "tasks":
            tasks.cancels = True
            cast = [{"name": "Caller", "caller": True}]
            await client.call_tool("convene", {"cast": cast, "topic": "Tea?"})


async def main():
    environment = dict(os.environ)
    if len(sys.argv) < 4:
        await talk(StdioServerParameters(command=PROGRAM, args=["mcp"], env=environment))
        return
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "mcp", "--http", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE, env=environment
    )
    try:
        address = (await process.stderr.readline()).decode().split("serving MCP on ")[1].split(";")[0]
        token = (await process.stderr.readline()).decode().split("Authorization: ")[1].strip()
        async with httpx2.AsyncClient(headers={"Authorization": token}, timeout=60) as http:
            await talk(streamable_http_client(address, http_client=http))
    finally:
        process.terminate()
        await process.wait()


asyncio.run(main())
