// Loaded into every Node process of a case (NODE_OPTIONS): what would leave this machine is refused, and said in a line
// on standard error that the harness knows. Node's own support of proxies would show it as well, but is missing before 24.

"use strict";

const dgram = require("node:dgram");
const dns = require("node:dns");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");

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
  const text = `${what} is refused: nothing leaves this machine; ask the base URL that the case gives`;
  return Object.assign(new Error(`harness: ${text}`), { code: "EACCES" });
}

// The options of net.connect, whichever way they are given; undefined for a socket of the file system.
function asked(args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (first !== null && typeof first === "object") return first.path ? undefined : first;
  if (typeof first === "string" && Number.isNaN(Number(first))) return undefined;
  return { port: first, host: typeof args[1] === "string" ? args[1] : undefined };
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const { host, port } = asked(args) ?? {};
  if (!host || isHere(host)) return connect.apply(this, args);
  const error = refusal(`connect ${host}:${port}`);
  process.nextTick(() => this.destroy(error));
  return this;
};

// Names: the callback, where there is one, comes last.
function guardNames(home, name) {
  const original = home[name];
  if (typeof original !== "function") return;
  home[name] = function (host, ...args) {
    if (!host || isHere(host)) return original.call(this, host, ...args);
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

syncBuiltinESMExports();
