"""Services with FastAPI: nested JSON, id in the path, server-sent events in two dialects."""
import asyncio, json, uuid
from fastapi import FastAPI, Header, HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
app = FastAPI()
chats = {}

class Message(BaseModel):
    role: str
    content: str

class Chat(BaseModel):
    messages: list[Message]
    temperature: float = 0

@app.post("/nested")
def nested(chat: Chat, authorization: str = Header()):
    if authorization != "Bearer canary-key-41":
        raise HTTPException(401, "bad key " + authorization)
    return {"choices": [{"message": {"role": "assistant", "content": f"{len(chat.messages)} messages, the last by a {chat.messages[-1].role}."}}]}

class Turn(BaseModel):
    text: str

@app.post("/chats", status_code=201)
def opened(turn: Turn):
    id = str(uuid.uuid4())
    chats[id] = [turn.text]
    return {"id": id, "text": "Opened."}

@app.post("/chats/{id}/turns")
def turned(id: str, turn: Turn):
    if id not in chats:
        raise HTTPException(404, "no such chat")
    chats[id].append(turn.text)
    return {"id": id, "text": f"Turn {len(chats[id])}."}

async def stream(events):
    for event in events:
        yield event
        await asyncio.sleep(0.05)

@app.post("/sse/openai")
def sse(turn: Turn):
    parts = [{"choices": [{"delta": {"content": t}}]} for t in ["Stream", "ed ", "“ünd”", " done."]]
    events = [f"data: {json.dumps(p)}\n\n" for p in parts] + ["data: [DONE]\n\n"]
    return StreamingResponse(stream(events), media_type="text/event-stream")

@app.post("/sse/named")
def named(turn: Turn):
    events = ["event: message_start\ndata: {\"type\":\"message_start\"}\n\n", ": ping\n\n"]
    events += [f"event: content_block_delta\r\ndata: {json.dumps({'delta': {'text': t}})}\r\n\r\n" for t in ["Named ", "events."]]
    events += ["event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"]
    return StreamingResponse(stream(events), media_type="text/event-stream")
