// Ways out of a process of Node, tried one after another. Each carries its name to the trap (trap.py) in what it sends.

import { execFileSync, spawn } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { Worker } from "node:worker_threads";

const given = JSON.parse(fs.readFileSync(process.env.TEST_WAYS, "utf8"));
const { host, port } = given;
const SECONDS = 5;

const elsewhere = (_name, options, done) => (options.all ? done(null, [{ address: host, family: 4 }]) : done(null, host, 4));

// Done when the emitter has one of these events; fails at its error.
const until = (emitter, ...events) =>
  new Promise((done, failed) => {
    for (const event of events) emitter.once(event, done);
    emitter.once("error", failed);
  });

async function sent(socket, way) {
  await until(socket, "connect");
  await new Promise((done) => socket.end(`way=${way};`, done));
}

async function asked(request) {
  const response = await until(request, "response");
  response.resume();
  await until(response, "end");
}

async function datagram(way, ...more) {
  const socket = dgram.createSocket(more.at(-1)?.type ? more.pop() : "udp4");
  try {
    await new Promise((done, failed) => {
      socket.once("error", failed);
      socket.send(`way=${way};`, port, ...more, (error) => (error ? failed(error) : done()));
    });
  } finally {
    socket.close();
  }
}

const program = (way) => `require("net").connect(${port}, "${host}").on("error", () => {}).end("way=${way};")`;

async function child(way, options) {
  const process_ = spawn(process.execPath, ["-e", program(way)], { stdio: "ignore", ...options });
  await until(process_, "exit");
}

async function worker(way, options) {
  const thread = new Worker(program(way), { eval: true, ...options });
  await until(thread, "exit");
}

const url = (way) => `http://${host}:${port}/way=${way};`;
const resolver = () => {
  const made = new dns.promises.Resolver({ timeout: 500, tries: 1 });
  made.setServers([`${host}:${port}`]);
  return made;
};

const ways = {
  net: (way) => sent(net.connect(port, host), way),
  "net-socket": (way) => sent(new net.Socket().connect({ port, host }), way),
  tls: (way) => until(tls.connect({ port, host, servername: `way=${way}` }), "close"),
  http: (way) => asked(http.get(url(way))),
  https: (way) => until(https.get({ host, port, servername: `way=${way}` }), "close"),
  http2: (way) => until(http2.connect(`http://${host}:${port}`), "connect"),
  fetch: (way) => fetch(url(way)),
  dgram: (way) => datagram(way, host),
  "dgram-connect": (way) =>
    new Promise((done, failed) => {
      const socket = dgram.createSocket("udp4");
      socket.once("error", failed);
      socket.connect(port, host, () => socket.send(`way=${way};`, () => done(socket.close())));
    }),
  "dns-lookup": (way) => dns.promises.lookup(`${way}.example.invalid`),
  "dns-lookup-callback": (way) =>
    new Promise((done, failed) => dns.lookup(`${way}.example.invalid`, (error) => (error ? failed(error) : done()))),
  "dns-resolve": (way) => dns.promises.resolve4(`${way}.example.invalid`),
  "dns-servers": (way) => resolver().resolve4(`way-${way}.example.invalid`),
  "dns-servers-localhost": (way) => resolver().resolve4(`way-${way}.localhost`),
  "dns-reverse": () => dns.promises.reverse("192.0.2.9"),
  "dns-service": () => dns.promises.lookupService("192.0.2.9", 80),
  worker: (way) => worker(way, {}),
  "worker-bare": (way) => worker(way, { env: {}, execArgv: [] }),
  child: (way) => child(way, {}),
  "child-bare": (way) => child(way, { env: {} }),
  "net-lookup": (way) => sent(net.connect({ port, host: "localhost", lookup: elsewhere }), way),
  "http-lookup": (way) => asked(http.get({ port, host: "localhost", path: `/way=${way};`, lookup: elsewhere })),
  "dgram-lookup": (way) => datagram(way, "localhost", { type: "udp4", lookup: elsewhere }),
  curl: async (way) => execFileSync("curl", ["-sSf", "-m", `${SECONDS}`, url(way)], { stdio: "pipe" }),
  "curl-noproxy": async (way) =>
    execFileSync("curl", ["-sSf", "-m", `${SECONDS}`, "--noproxy", "*", url(way)], { stdio: "pipe" }),
  python: async (way) =>
    execFileSync(given.python, ["-c", `import socket\ns = socket.create_connection(("${host}", ${port}), 5)\ns.sendall(b"way=${way};")`], { stdio: "pipe" }),
  binding: (way) =>
    new Promise((done, failed) => {
      const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap");
      const handle = new TCP(constants.SOCKET);
      const request = new TCPConnectWrap();
      request.oncomplete = (status) => {
        if (status !== 0) return failed(new Error(`connect: ${status}`));
        const socket = new net.Socket({ handle });
        socket.end(`way=${way};`, done);
      };
      const status = handle.connect(request, host, port);
      if (status !== 0) failed(new Error(`connect: ${status}`));
    }),
  "unix-socket": (way) => sent(net.connect(given.unix), way),
  "child-sync-bare": async (way) => execFileSync(process.execPath, ["-e", program(way)], { env: {}, stdio: "pipe" }),
  signal: async () => process.kill(given.outsider, 0),
};

const late = (way) =>
  new Promise((_, failed) => setTimeout(failed, SECONDS * 1000, new Error("nothing came")).unref());

process.removeAllListeners("warning");
process.on("uncaughtException", () => {}); // of a way whose socket fails a second time

const base = process.env.ANTHROPIC_BASE_URL;
const answer = await fetch(`${base}/v1/messages`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01" },
  body: JSON.stringify({
    model: "claude-sonnet-4-5",
    max_tokens: 9,
    messages: [{ role: "user", content: "Say hello." }],
  }),
});
await answer.text();

const outcomes = {};
for (const [name, attempt] of Object.entries(ways)) {
  try {
    await Promise.race([attempt(name), late(name)]);
    outcomes[name] = "done";
  } catch (error) {
    outcomes[name] = `${error.name}: ${error.message}`;
  }
}
const network = Object.fromEntries(
  ["dev", "route"].map((name) => [name, fs.readFileSync(`/proc/self/net/${name}`, "utf8")]),
);
const processes = fs.readdirSync("/proc").sort();
fs.writeFileSync(given.out, JSON.stringify({ outcomes, network, processes }));
process.exit(0);
