"""Four services with Flask: plain text, cookies, form body, huge."""
import secrets
from flask import Flask, request, make_response, session, Response
app = Flask(__name__)
app.secret_key = secrets.token_hex()

@app.post("/plain")
def plain():
    return Response("You said: " + request.get_data(as_text=True) + "\n", content_type="text/plain")

@app.post("/cookies")
def cookies():
    n = session.get("n", 0) + 1
    session["n"] = n
    return {"answer": f"Message {n} in this conversation."}

@app.post("/form")
def form():
    text = request.form["text"]
    return {"reply": {"lines": [f"{len(text)} characters", f"from {request.form['user']}"]}}

@app.post("/huge")
def huge():
    return {"answer": "x" * (6 << 20)}

if __name__ == "__main__":
    app.run(port=8101)
