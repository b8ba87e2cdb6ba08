// Services with Express: arrays, events of plain text, 429, 500 then ok, slow, wrong content type, redirects, tools
const express = require("express")
const app = express()
app.use(express.json())
let calls = {limited: 0, shaky: 0}
app.post("/webhook", (q, s) => s.json([{recipient_id: q.body.sender, text: "One."}, {recipient_id: q.body.sender, text: "Two."}]))
app.post("/sse/plain", (q, s) => {
  s.type("text/event-stream")
  const words = ["Plain", " words", " as", " events."]
  const next = () => words.length ? (s.write(`data: ${words.shift()}\n\n`), setTimeout(next, 20)) : s.end()
  next()
})
app.post("/limited", (q, s) => calls.limited++ % 2 ? s.json({answer: "After a wait."}) : s.status(429).set("Retry-After", "1").json({error: "slow down"}))
app.post("/shaky", (q, s) => calls.shaky++ % 2 ? s.json({answer: "Up again."}) : s.status(500).send("<h1>Oops</h1>"))
app.post("/slow", (q, s) => setTimeout(() => s.json({answer: "At last."}), 2500))
app.post("/wrong", (q, s) => s.type("text/html").send(JSON.stringify({answer: "JSON as HTML."})))
app.post("/html", (q, s) => s.type("text/html").send("<!doctype html><h1>Welcome</h1>"))
app.post("/redirect", (q, s) => s.redirect(308, "/moved/"))
app.post("/moved", (q, s) => s.json({answer: `Moved with ${q.body.text.length > 0 ? "the words" : "nothing"}.`}))
app.post("/elsewhere", (q, s) => s.redirect(307, "http://localhost:8199/steal"))
app.post("/tools", (q, s) => s.json({answer: "Booked.", tool_calls: [{name: "search"}, {name: "book"}]}))
app.listen(8103, "127.0.0.1")
