// An independent verifier of exports, from the descriptions in events/README.md and gamesvc/games/README.md alone.
// Plain JavaScript, no dependency:  node verify.mjs FILE...
// Proves format, chain, commitment, contributions, every draw, trailer and checkpoint; not the rules of the games.
// With --mutations FILE EDITS.json it judges changed copies of one file instead (see `mutations`).

import { createHash, createHmac, createPublicKey, verify as verifySignature } from "node:crypto";
import { readFileSync } from "node:fs";

class Wrong extends Error {
  constructor(version, reason) {
    super(reason);
    this.version = version;
  }
}

// --- canonical JSON ---

const LARGEST = Number.MAX_SAFE_INTEGER;
const ESCAPES = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };

function canonical(value, depth = 0) {
  if (value === null || value === true || value === false) return String(value);
  if (typeof value === "string") {
    return `"${value.replace(/["\\\u0000-\u001f]/g, (one) => ESCAPES[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
  }
  if (typeof value === "number") {
    if (!Number.isInteger(value) || Math.abs(value) > LARGEST) throw new Error(`${value} is no integer under 2^53`);
    return String(value);
  }
  if (depth > 100) throw new Error("nested too deep");
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(",")}]`;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  if (keys.some((key) => /[^\u0000-\u007f]/.test(key))) throw new Error("a key is not ASCII");
  return `{${keys.map((key) => `${canonical(key)}:${canonical(value[key], depth + 1)}`).join(",")}}`;
}

function read(bytes) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = JSON.parse(text);
  if (!Buffer.from(canonical(value), "utf8").equals(bytes)) throw new Error("this JSON is not canonical");
  return value;
}

// --- bytes and hashes ---

function prefixed(...fields) {
  const parts = [];
  for (const field of fields) {
    const bytes = Buffer.isBuffer(field) ? field : Buffer.from(String(field), "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hmac = (key, message) => createHmac("sha256", key).update(message).digest();
const isHex = (value, digits) => typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isWhole = (value, least) => Number.isInteger(value) && value >= least;
const hasExactly = (value, names) => isObject(value) && Object.keys(value).sort().join() === [...names].sort().join();

// --- events ---

const SEALED = ["match", "version", "digest", "hash"];
const WHOLE = [...SEALED, "type", "type_version", "data", "meta", "occurred_at", "salt"];
const SHAPES = {
  match: (value) => typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  version: (value) => isWhole(value, 1),
  type: (value) => typeof value === "string",
  type_version: (value) => isWhole(value, 1),
  data: isObject,
  meta: isObject,
  occurred_at: isTime,
  salt: (value) => isHex(value, 32),
  digest: (value) => isHex(value, 64),
  hash: (value) => isHex(value, 64),
  redacted: (value) => value === true,
};

function isTime(value) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value)) return false;
  const date = new Date(`${value.slice(0, 23)}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${value.slice(0, 23)}Z`;
}

function readEvent(bytes) {
  const event = read(bytes);
  if (!isObject(event)) throw new Error("an event is an object");
  const names = Object.keys(event);
  const redacted = event.redacted === true;
  const known = redacted ? [...WHOLE, "redacted"] : WHOLE;
  const fits = redacted
    ? SEALED.every((name) => names.includes(name)) && names.every((name) => known.includes(name)) && names.length < known.length
    : hasExactly(event, WHOLE) || hasExactly(event, SEALED);
  if (!fits) throw new Error(`these are not the fields of an event: ${names.sort().join(", ")}`);
  for (const name of names) if (!SHAPES[name](event[name])) throw new Error(`${name} has the wrong form`);
  return event;
}

const isWholeEvent = (event) => hasExactly(event, WHOLE);

function digestOf(event) {
  return sha256(
    prefixed(
      "gamesvc.event/1", event.match, event.version, event.type, event.type_version,
      canonical(event.data), canonical(event.meta), event.occurred_at, event.salt,
    ),
  );
}

function chain(lines) {
  const events = [];
  let before = null;
  let moment = "";
  lines.forEach((line, at) => {
    const version = at + 1;
    const refuse = (reason) => {
      throw new Wrong(version, reason);
    };
    let event;
    try {
      event = readEvent(line);
    } catch (error) {
      refuse(error.message);
    }
    before ??= sha256(prefixed("gamesvc.stream/1", event.match));
    if (event.version !== version) refuse(`version ${event.version} stands here`);
    if (at && event.match !== events[0].match) refuse("this event belongs to another match");
    if (isWholeEvent(event) && digestOf(event).toString("hex") !== event.digest) refuse("the content does not give the digest");
    before = sha256(before, Buffer.from(event.digest, "hex"));
    if (before.toString("hex") !== event.hash) refuse("the hash does not follow from the one before");
    if (at && events[at - 1].type === "match.ended") refuse("an event follows the end");
    if (event.occurred_at !== undefined) {
      if (event.occurred_at < moment) refuse("time goes back");
      moment = event.occurred_at;
    }
    events.push(event);
  });
  return events;
}

// --- chance ---

class Words {
  constructor(key, draw) {
    this.key = key;
    this.draw = draw;
    this.block = 0;
    this.left = [];
  }

  next() {
    if (!this.left.length) {
      const message = Buffer.alloc(12);
      message.writeBigUInt64BE(BigInt(this.draw), 0);
      message.writeUInt32BE(this.block++, 8);
      const digest = hmac(this.key, message);
      this.left = [0, 8, 16, 24].map((at) => digest.readBigUInt64BE(at));
    }
    return this.left.shift();
  }

  below(n) {
    const size = 1n << 64n;
    const limit = size - (size % BigInt(n));
    let word;
    do word = this.next(); while (word >= limit);
    return Number(word % BigInt(n));
  }

  order(n, k) {
    const items = Array.from({ length: n }, (_, at) => at);
    for (let at = 0; at < Math.min(k, n - 1); at++) {
      const other = at + this.below(n - at);
      [items[at], items[other]] = [items[other], items[at]];
    }
    return items.slice(0, k);
  }
}

function drawn(key, draw, version) {
  const kind = ["of", "choose", "shuffle", "sample"].find((one) => hasExactly(draw, ["i", one, "got"]));
  if (!kind) throw new Wrong(version, "this is no draw");
  const n = draw[kind];
  const words = new Words(key, draw.i);
  if (kind === "of" || kind === "choose") {
    if (!isWhole(n, 1) || !Number.isInteger(draw.got)) throw new Wrong(version, "this is no draw");
    return words.below(n) + (kind === "of" ? 1 : 0);
  }
  const fits = isWhole(n, 0) && n <= 100000 && Array.isArray(draw.got) && draw.got.length <= n && (kind === "sample" || draw.got.length === n);
  if (!fits) throw new Wrong(version, "this is no draw");
  return words.order(n, draw.got.length);
}

function chance(events) {
  const [first] = events;
  if (first.type !== "match.opened" || !isHex(first.data?.commitment, 64) || !isWhole(first.data?.seats, 1)) {
    throw new Wrong(1, "the first event does not commit to a secret");
  }
  const given = new Map();
  let started = false;
  for (const event of events) {
    if (!["match.joined", "match.left", "match.started"].includes(event.type)) continue;
    const refuse = (reason) => {
      throw new Wrong(event.version, reason);
    };
    if (started) refuse("seats change after the start");
    const { seat, contribution } = event.data;
    if (event.type === "match.started") {
      started = true;
      if (given.size !== first.data.seats) refuse("the match starts with a free seat");
    } else if (event.type === "match.left") {
      if (!given.delete(seat)) refuse("nobody had this seat");
    } else {
      if (!isWhole(seat, 0) || seat >= first.data.seats || given.has(seat)) refuse("this seat cannot be taken");
      if (contribution !== "" && !isHex(contribution, 64)) refuse("the contribution is no hash");
      given.set(seat, contribution);
    }
  }
  const last = events[events.length - 1];
  if (last.type !== "match.ended") return { ended: false, draws: 0 };
  if (!isHex(last.data?.secret, 64)) throw new Wrong(last.version, "the secret is not revealed");
  const secret = Buffer.from(last.data.secret, "hex");
  if (sha256(secret).toString("hex") !== first.data.commitment) throw new Wrong(last.version, "the secret does not fit the commitment");
  const contributed = [...given.keys()].sort((a, b) => a - b).map((seat) => given.get(seat)).filter(Boolean);
  const key = hmac(secret, Buffer.from(["gamesvc dice 1", first.match, ...contributed].join("\n"), "utf8"));
  let draws = 0;
  for (const event of events) {
    const recorded = event.meta?.draws;
    if (recorded === undefined) continue;
    if (!Array.isArray(recorded)) throw new Wrong(event.version, "draws must be a list");
    for (const draw of recorded) {
      if (!isObject(draw) || draw.i !== draws) throw new Wrong(event.version, `draw ${draws} comes next`);
      const found = drawn(key, draw, event.version);
      if (canonical(found) !== canonical(draw.got)) throw new Wrong(event.version, `draw ${draws} gives ${canonical(found)}`);
      draws++;
    }
  }
  return { ended: true, draws };
}

// --- positions ---

// A match that begins from a position commits to it before anybody joins; a position anywhere else was promised by nobody.
function position(events) {
  const promised = isObject(events[0].data) ? events[0].data.position : undefined;
  const started = events.findIndex((event) => event.type === "match.started");
  events.forEach((event, at) => {
    if (event.type === "match.positioned" && (promised === undefined || started === -1 || at !== started + 1)) {
      throw new Wrong(event.version, "a position that was not promised");
    }
  });
  if (promised === undefined || started === -1 || started + 1 === events.length) return;
  const shown = events[started + 1];
  if (shown.type !== "match.positioned") throw new Wrong(started + 2, "the position that was promised does not come");
  if (!isWholeEvent(shown)) return;
  const { salt, dealt } = shown.data;
  const given = dealt === undefined ? shown.data.position : dealt?.from;
  const found = isObject(given) && typeof salt === "string" ? sha256(prefixed("gamesvc.position/1", salt, canonical(given))) : null;
  if (found?.toString("hex") !== promised) throw new Wrong(shown.version, "this is not the position that was promised");
}

// --- trailer and checkpoint ---

const leaf = (salt, match, version, hash) => sha256(prefixed("gamesvc.leaf/1", salt, match, version, Buffer.from(hash, "hex")));
const node = (left, right) => sha256(prefixed("gamesvc.node/1", left, right));

function climb(start, index, size, path) {
  const left = path.map((one) => Buffer.from(one, "hex"));
  let found = start;
  while (size > 1) {
    if (index % 2) found = node(left.shift() ?? Buffer.alloc(0), found);
    else if (index + 1 < size) found = node(found, left.shift() ?? Buffer.alloc(0));
    index = Math.floor(index / 2);
    size = Math.ceil(size / 2);
  }
  return left.length ? null : found.toString("hex");
}

function checkpoint(events, value) {
  const refuse = (reason) => {
    throw new Wrong(null, `checkpoint: ${reason}`);
  };
  const { statement, key, signature, proof } = value ?? {};
  const fits =
    hasExactly(value, ["statement", "key", "signature", "proof"]) &&
    hasExactly(statement, ["made_at", "number", "previous", "root", "streams"]) &&
    isTime(statement.made_at) && isWhole(statement.number, 1) && isWhole(statement.streams, 1) &&
    isHex(statement.previous, 64) && isHex(statement.root, 64) && isHex(key, 64) && isHex(signature, 128) &&
    hasExactly(proof, ["version", "hash", "salt", "index", "path"]) &&
    isWhole(proof.version, 1) && isHex(proof.hash, 64) && isHex(proof.salt, 32) && isWhole(proof.index, 0) &&
    Array.isArray(proof.path) && proof.path.every((one) => isHex(one, 64));
  if (!fits) refuse("it is not formed as described");
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(key, "hex").toString("base64url") },
    format: "jwk",
  });
  const signed = prefixed("gamesvc.checkpoint/1", canonical(statement));
  if (!verifySignature(null, signed, publicKey, Buffer.from(signature, "hex"))) refuse("the signature does not fit");
  if (proof.index >= statement.streams) refuse("the index is too large");
  const start = leaf(proof.salt, events[0].match, proof.version, proof.hash);
  if (climb(start, proof.index, statement.streams, proof.path) !== statement.root) refuse("the path does not lead to the root");
  if (proof.version > events.length) refuse(`it holds version ${proof.version}, the file ends with ${events.length}`);
  if (events[proof.version - 1].hash !== proof.hash) throw new Wrong(proof.version, "the checkpoint holds another hash");
}

function trailer(events, bytes) {
  let outer;
  try {
    outer = read(bytes);
  } catch (error) {
    throw new Wrong(null, `trailer: ${error.message}`);
  }
  const found = hasExactly(outer, ["trailer"]) ? outer.trailer : null;
  const names = ["match", "count", "head"];
  if (!hasExactly(found, names) && !hasExactly(found, [...names, "checkpoint"])) throw new Wrong(null, "there is no trailer");
  const last = events[events.length - 1];
  if (isWhole(found.count, events.length + 1)) throw new Wrong(events.length + 1, `${found.count} events are counted in the trailer`);
  if (found.count !== events.length || found.head !== last.hash || found.match !== last.match) {
    throw new Wrong(null, "the trailer does not fit the events");
  }
  if (found.checkpoint !== undefined) checkpoint(events, found.checkpoint);
  return found;
}

// --- files ---

function splitLines(content) {
  const lines = [];
  let start = 0;
  for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, start)) {
    lines.push(content.subarray(start, at));
    start = at + 1;
  }
  return { lines, rest: content.subarray(start) };
}

function isEvent(line) {
  try {
    readEvent(line);
    return true;
  } catch {
    return false;
  }
}

export function verify(content) {
  try {
    const { lines, rest } = splitLines(content);
    if (rest.length) lines.push(rest);
    if (!lines.length) throw new Wrong(null, "the file is empty");
    const last = isEvent(lines[lines.length - 1]) ? null : lines.pop();
    if (!lines.length) throw new Wrong(1, "the file has no event");
    const events = chain(lines);
    if (last === null) throw new Wrong(null, "there is no trailer");
    if (rest.length) throw new Wrong(null, "the last line has no end");
    position(events);
    const { ended, draws } = chance(events);
    const found = trailer(events, last);
    return { ok: true, version: null, count: events.length, head: found.head, ended, draws, checkpoint: found.checkpoint !== undefined };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { ok: false, version: error.version, reason: error.message };
  }
}

// Changed copies of one file: a JSON list of edits, each [start, end, replacement in base64], judged one by one.
function mutations(file, edits) {
  const content = readFileSync(file);
  return JSON.parse(readFileSync(edits, "utf8")).map((parts) => {
    const changed = parts.reduceRight(
      (bytes, [start, end, text]) => Buffer.concat([bytes.subarray(0, start), Buffer.from(text, "base64"), bytes.subarray(end)]),
      content,
    );
    const { ok, version, reason } = verify(changed);
    return { ok, version, reason };
  });
}

const words = process.argv.slice(2);
const results = words[0] === "--mutations" ? mutations(words[1], words[2]) : words.map((file) => ({ file, ...verify(readFileSync(file)) }));
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exitCode = words[0] === "--mutations" || results.every((one) => one.ok) ? 0 : 1;
