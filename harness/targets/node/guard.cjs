// Loaded into every Node process of a case (NODE_OPTIONS): what would leave this machine is refused, and said in a line
// on standard error that the harness knows. Node's own support of proxies would show it as well, but is missing before 24.

"use strict";

const childProcess = require("node:child_process");
const dgram = require("node:dgram");
const dns = require("node:dns");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");
const { Duplex } = require("node:stream");
const tls = require("node:tls");
const workerThreads = require("node:worker_threads");

const HERE = /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|::1?|::ffff:127(\.\d+){3})$/i;

function isHere(host) {
  return HERE.test(String(host).replace(/^\[|\]$/g, "").replace(/\.$/, ""));
}

function refusal(what) {
  try {
    fs.writeSync(2, `harness-guard: ${what}\n`);
  } catch {
    // nobody reads standard error any more
  }
  const text = `${what} is blocked: outbound traffic is not allowed; send requests to the base URL of the case`;
  return Object.assign(new Error(`harness: ${text}`), { code: "EACCES" });
}

// The options of net.connect, whichever way they are given; undefined for a socket of the file system.
function asked(args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (first !== null && typeof first === "object") return first.path ? undefined : first;
  if (typeof first === "string" && Number.isNaN(Number(first))) return undefined;
  return { port: first, host: typeof args[1] === "string" ? args[1] : undefined };
}

// A lookup of the program's own could find any address for a name of this machine.
function withoutLookup(args) {
  const [first] = args;
  if (Array.isArray(first) && first[0]?.lookup) {
    const bare = Object.assign([...first], { 0: { ...first[0], lookup: undefined } });
    for (const mark of Object.getOwnPropertySymbols(first)) bare[mark] = first[mark]; // net's own: it is normalized
    return [bare, ...args.slice(1)];
  }
  return first?.lookup ? [{ ...first, lookup: undefined }, ...args.slice(1)] : args;
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const { host, port } = asked(args) ?? {};
  if (!host || isHere(host)) return connect.apply(this, withoutLookup(args));
  const error = refusal(`connect ${host}:${port}`);
  process.nextTick(() => this.destroy(error));
  return this;
};

// With --as-provider the harness answers as these hosts, by way of its proxy, which Node's fetch knows since 24 only.
const PROVIDERS = new Set((process.env.HARNESS_PROVIDER_HOSTS ?? "").split(",").filter(Boolean));

// A connection through the proxy. What is written before the proxy has opened the tunnel waits for it.
class Tunnel extends Duplex {
  #socket;
  #host;
  #proxy = new URL(process.env.HTTPS_PROXY);

  constructor(host) {
    super();
    this.#host = host;
  }

  _construct(opened) {
    process.nextTick(() => this.#open(opened)); // the fields are not there before super() has ended
  }

  #open(opened) {
    const socket = (this.#socket = net.connect(Number(this.#proxy.port), this.#proxy.hostname));
    const { username, password } = this.#proxy;
    const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
    const authorization = username ? `Proxy-Authorization: Basic ${user}\r\n` : "";
    socket.write(`CONNECT ${this.#host} HTTP/1.1\r\nHost: ${this.#host}\r\n${authorization}\r\n`);
    let head = "";
    const onHead = (chunk) => {
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", onHead);
      if (!/^HTTP\/1\.[01] 2/.test(head)) {
        this.destroy(new Error(`harness: the proxy has refused a tunnel to ${this.#host}: ${head.split("\r\n")[0]}`));
        return;
      }
      const rest = Buffer.from(head.slice(end + 4), "latin1");
      if (rest.length) this.push(rest);
      socket.on("data", (data) => this.push(data) || socket.pause());
      socket.on("end", () => this.push(null));
      opened();
    };
    socket.on("data", onHead);
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  _read() {
    this.#socket.resume();
  }

  _write(chunk, encoding, done) {
    this.#socket.write(chunk, encoding, done);
  }

  _final(done) {
    this.#socket.end(done);
  }

  _destroy(error, done) {
    this.#socket?.destroy();
    done(error);
  }
}

// The options of tls.connect, whichever way they are given.
function tlsAsked(args) {
  const [first, second] = args;
  const named = { port: first, ...(typeof second === "string" ? { host: second } : {}) };
  const given = args.filter((each) => each !== null && typeof each === "object");
  return Object.assign({}, typeof first === "object" ? {} : named, ...given);
}

const connectTls = tls.connect;
tls.connect = function (...args) {
  const options = tlsAsked(args);
  const host = String(options.host ?? "").toLowerCase();
  if (options.socket || options.path || !PROVIDERS.has(host)) return connectTls.apply(this, args);
  const callback = args.find((each) => typeof each === "function");
  const socket = new Tunnel(`${host}:${options.port ?? 443}`);
  return connectTls.call(this, { servername: host, ...options, socket }, callback);
};

// Names: the callback, where there is one, comes last. Other questions than "lookup" go to a server whatever the name is.
function guardNames(home, name) {
  const original = home[name];
  if (typeof original !== "function") return;
  home[name] = function (host, ...args) {
    if (!host || (isHere(host) && !name.startsWith("resolve"))) return original.call(this, host, ...args);
    const error = refusal(`${name} ${host}`);
    const callback = args.at(-1);
    if (typeof callback !== "function") return Promise.reject(error);
    process.nextTick(callback, error);
  };
}

const NAMES = ["lookup", "lookupService", "reverse", ...Object.keys(dns).filter((name) => /^resolve/.test(name))];
for (const home of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of NAMES) guardNames(home, name);
}

// Datagrams: the address is the last text among the arguments.
for (const name of ["connect", "send"]) {
  const original = dgram.Socket.prototype[name];
  dgram.Socket.prototype[name] = function (...args) {
    const host = args.slice(1).findLast((each) => typeof each === "string");
    if (!host || isHere(host)) return original.apply(this, args);
    throw refusal(`${name} ${host} (UDP)`);
  };
}

const createSocket = dgram.createSocket;
dgram.createSocket = function (options, ...more) {
  return createSocket.call(this, options?.lookup ? { ...options, lookup: undefined } : options, ...more);
};

// Threads and processes of Node that are given an environment of their own get the guard all the same.
const OPTIONS = `--require ${JSON.stringify(__filename)}`;

workerThreads.Worker = class Worker extends workerThreads.Worker {
  constructor(file, options = {}) {
    super(file, { ...options, execArgv: [...(options.execArgv ?? process.execArgv), "--require", __filename] });
  }
};

const guarded = (value) => (value?.includes(__filename) ? value : `${value ?? ""} ${OPTIONS}`.trim());

const { spawn } = childProcess.ChildProcess.prototype;
childProcess.ChildProcess.prototype.spawn = function (options) {
  const pairs = (options.envPairs ?? []).filter((pair) => !pair.startsWith("NODE_OPTIONS="));
  const own = (options.envPairs ?? []).find((pair) => pair.startsWith("NODE_OPTIONS="));
  pairs.push(`NODE_OPTIONS=${guarded(own?.slice("NODE_OPTIONS=".length))}`);
  return spawn.call(this, { ...options, envPairs: pairs });
};

for (const name of ["spawnSync", "execFileSync", "execSync"]) {
  const original = childProcess[name];
  childProcess[name] = function (...args) {
    const at = args.findLastIndex((each) => each !== null && typeof each === "object" && each.env);
    if (at < 0) return original.apply(this, args);
    const env = { ...args[at].env, NODE_OPTIONS: guarded(args[at].env.NODE_OPTIONS) };
    return original.apply(this, Object.assign([...args], { [at]: { ...args[at], env } }));
  };
}

// Node's own modules do not take this way.
const INTERNAL = new Set(["cares_wrap", "js_stream", "pipe_wrap", "process_wrap", "spawn_sync", "tcp_wrap", "udp_wrap"]);
const { binding } = process;
process.binding = function (name) {
  if (INTERNAL.has(name)) throw refusal(`process.binding ${name}`);
  return binding.call(this, name);
};

syncBuiltinESMExports();
