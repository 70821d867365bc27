
import dgram from "node:dgram";
import { Resolver, lookup, promises } from "node:dns";
import https from "node:https";
import net, { connect } from "node:net";

const codes = [];
const note = (error) => codes.push(error.cause?.code ?? error.code);
const fails = (start) => new Promise((done) => start((error) => done(note(error))));
await fetch("https://api.example.invalid/x").catch(note);
await fetch("http://192.0.2.1/x").catch(note);
await fails((done) => connect(443, "192.0.2.1").on("error", done));
await fails((done) => https.get("https://api.example.invalid/").on("error", done));
await fails((done) => lookup("b.example.invalid", { all: true }, done));
await promises.resolve4("c.example.invalid").catch(note);
await fails((done) => new Resolver().resolveTxt("d.example.invalid", done));
try { dgram.createSocket("udp4").send("x", 53, "192.0.2.1"); } catch (error) { note(error); }

const server = net.createServer((socket) => socket.end("here")).listen(0, "127.0.0.1", () => {
  net.connect(server.address().port, "localhost").on("data", (data) => {
    console.log(codes.join(" "), String(data));
    server.close();
  });
});
