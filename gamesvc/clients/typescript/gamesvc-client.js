// A client of gamesvc for browsers, Node 20 and later, and TypeScript: one ES module without dependencies, typed in its comments.
//
//   const client = new Client("https://games.example", token);
//   for await (const turn of client.turns({ forms: true })) {
//     await client.command(turn.match, fill(turn.forms[0]), turn.etag);
//   }

/** @typedef {any} Json  A value of JSON. */
/** @typedef {{[keyword: string]: any}} Schema  JSON Schema with the keywords of gamesvc: see `/api/docs/forms/`. */
/** @typedef {{name: string, label: string, verb: string, weight: "main"|"end"|"danger"|"settings", parameters: Schema}} Form */
/** @typedef {{match: string, number: number, game: string, version: number, etag: string, seat: number, forms: Form[]}} Turn */
/** @typedef {{match: string, version: number, awaited: boolean, etag: string, forms: Form[]}} Receipt */
/** @typedef {{match: string, version: number, awaited: boolean}} News */
/** @typedef {{key?: string, etag?: string, query?: Record<string, string>}} Options */

const TRIES = 5;
const LONGEST_WAIT = 60;
// The service sends a sign of life every 15 seconds.
const SILENCE = 45_000;
// The service writes nothing near it.
const LARGEST = 64 * 2 ** 20;

/** @param {number} seconds */
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, Math.min(seconds, LONGEST_WAIT) * 1000));

/** An answer without end: it would fill the memory. */
export class TooLarge extends Error {
  /** @param {number} most */
  constructor(most) {
    super(`The answer has more than ${most} bytes.`);
    this.name = "TooLarge";
  }
}

/** An answer that is a problem (RFC 9457). `code` says which; `/problems/CODE` explains it. */
export class Problem extends Error {
  /** @param {number} status  @param {any} body  @param {number | null} retryAfter */
  constructor(status, body, retryAfter) {
    super(`${status} ${body.code}: ${body.detail}`);
    this.status = status;
    this.code = String(body.code ?? "");
    this.detail = String(body.detail ?? "");
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may be answered later. A proxy before a service that restarts says 502 or 504. */
  get passes() {
    return this.status === 429 || this.status >= 500;
  }
}

/** Requests of one user. Each method resolves to the JSON of the answer, or rejects with `Problem`. */
export class Client {
  /** @param {string} url  @param {string} token */
  constructor(url, token) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
    /** Seconds after which a request without an answer is sent again. */
    this.timeout = 30;
    /** The most bytes of an answer, or of a message of a stream. */
    this.largest = LARGEST;
  }

  /**
   * Send a request to an address below `/api/v1`. It is sent again, with the same key, after a lost connection, 429 and
   * any fault of the service.
   * @param {string} method  @param {string} path  @param {Json} [body]  @param {Options} [options]
   * @returns {Promise<any>}
   */
  async call(method, path, body, { key = crypto.randomUUID(), etag = "", query = {} } = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", "Idempotency-Key": key };
    if (etag) headers["If-Match"] = etag;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const content = body === undefined ? undefined : JSON.stringify(body);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await this.open(`/api/v1${path}`, { method, headers, body: content, signal: AbortSignal.timeout(this.timeout * 1000) }, query);
        return answer.status === 204 ? null : JSON.parse(await whole(answer, this.largest));
      } catch (fault) {
        const again = fault instanceof Problem ? fault.passes : !(fault instanceof TooLarge);
        if (attempt === TRIES || !again) throw fault;
        await wait(fault instanceof Problem && fault.retryAfter !== null ? fault.retryAfter : 2 ** attempt / 4);
      }
    }
  }

  /** Yield the decisions that wait for you, the most urgent first.
   * @param {{forms?: boolean}} [options]  @returns {AsyncGenerator<Turn>} */
  async *turns({ forms = false } = {}) {
    /** @type {Record<string, string>} */
    let query = { forms: String(forms) };
    for (;;) {
      const page = await this.call("GET", "/me/turns/", undefined, { query });
      yield* page.results;
      if (!page.next) return;
      query = { ...query, cursor: page.next };
    }
  }

  /** @param {string} match */
  view(match) {
    return this.call("GET", `/matches/${match}/view/`);
  }

  /** Send a command that answers the position with this ETag. The receipt has the forms of what you can do next.
   * @param {string} match  @param {{[name: string]: Json}} command  @param {string} etag  @returns {Promise<Receipt>} */
  command(match, command, etag) {
    return this.call("POST", `/matches/${match}/commands/`, command, { etag, query: { forms: "true" } });
  }

  /** Yield a message for each change in a match, or in all of yours, without end. Connects again where it was cut.
   * @param {string} [match]  @returns {AsyncGenerator<News>} */
  async *follow(match) {
    const path = match ? `/api/v1/matches/${match}/stream/` : "/api/v1/me/stream/";
    let last = "";
    for (let failed = 0; ; failed += 1) {
      if (failed) await wait(2 ** failed / 4);
      const cut = new AbortController();
      try {
        /** @type {Record<string, string>} */
        const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
        const answer = await this.open(path, { headers, signal: cut.signal }, {});
        for await (const message of messages(answer, cut, this.largest)) {
          failed = 0;
          last = message.id || last;
          yield message.data;
        }
      } catch (fault) {
        if (fault instanceof TooLarge || (fault instanceof Problem && !fault.passes)) throw fault;
      } finally {
        cut.abort();
      }
    }
  }

  /** @param {string} path  @param {RequestInit} request  @param {Record<string, string>} query */
  async open(path, request, query) {
    const asked = Object.keys(query).length ? `?${new URLSearchParams(query)}` : "";
    const headers = { ...request.headers, Authorization: `Bearer ${this.token}` };
    const answer = await fetch(`${this.url}${path}${asked}`, { ...request, headers });
    if (answer.ok) return answer;
    const told = await whole(answer, this.largest).then(JSON.parse).catch(() => null);
    const body = told !== null && typeof told === "object" ? told : { detail: answer.statusText }; // a proxy answers what it likes
    const after = answer.headers.get("Retry-After");
    throw new Problem(answer.status, body, after && /^\d+$/.test(after) ? Number(after) : null);
  }
}

/** Read a whole answer as text. Throws `TooLarge`.
 * @param {Response} answer  @param {number} most  @returns {Promise<string>} */
async function whole(answer, most) {
  if (!answer.body) return "";
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new TooLarge(most);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Read Server-Sent Events. Throws `TooLarge`.
 * @param {Response} answer  @param {AbortController} cut  @param {number} most
 * @returns {AsyncGenerator<{id: string, data: any}>} */
async function* messages(answer, cut, most) {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  /** The pieces of a line without its end, and the lines of a message without its end.
   * @type {string[]} */
  let pieces = [];
  /** @type {string[]} */
  let lines = [];
  let size = 0;
  for (;;) {
    const silent = setTimeout(() => cut.abort(), SILENCE);
    const { value, done } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    size += value.length;
    if (size > most) throw new TooLarge(most);
    pieces.push(value);
    if (!value.includes("\n")) continue;
    const ended = pieces.join("").split("\n");
    pieces = [ended.pop() ?? ""];
    for (const line of ended) {
      if (line.trim()) {
        lines.push(line);
        continue;
      }
      const told = lines;
      lines = [];
      const field = (/** @type {string} */ name) =>
        told.filter((one) => one.startsWith(`${name}:`)).map((one) => one.slice(name.length + 1).trim()).join("\n");
      if (field("data")) yield { id: field("id"), data: JSON.parse(field("data")) };
      size = 0;
    }
    if (!lines.length) size = pieces[0].length;
  }
}

// --- forms ---

/** Return a random command that a form offers. Throws if none was found.
 * @param {Form} form  @param {() => number} [random]  @returns {{[name: string]: Json}} */
export function fill(form, random = Math.random) {
  return sample(form.parameters, random);
}

/** Return true if a value fits the schema of a form, the keywords of gamesvc included.
 * @param {Schema} schema  @param {any} value  @returns {boolean} */
export function fits(schema, value) {
  if ("oneOf" in schema) return schema.oneOf.some((/** @type {Schema} */ one) => fits(one, value));
  if ("const" in schema && schema.const !== value) return false;
  if ("enum" in schema && !schema.enum.includes(value)) return false;
  if ("type" in schema && ![schema.type].flat().includes(kindOf(value))) return false;
  if (typeof value === "string") {
    const letters = [...value].length;
    if ("pattern" in schema && !new RegExp(`^(?:${schema.pattern})$`).test(value)) return false;
    return letters >= (schema.minLength ?? 0) && letters <= (schema.maxLength ?? letters);
  }
  if (typeof value === "number") return value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value);
  if (Array.isArray(value)) return fitsArray(schema, value);
  return value !== null && typeof value === "object" ? fitsObject(schema, value) : true;
}

/** @param {any} value */
function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** @param {Schema} schema  @param {any[]} items */
function fitsArray(schema, items) {
  if (items.length < (schema.minItems ?? 0) || items.length > (schema.maxItems ?? items.length)) return false;
  if (!items.every((one) => fits(schema.items ?? {}, one))) return false;
  if (schema.uniqueItems && new Set(items.map(written)).size < items.length) return false;
  if (schema.supply && items.some((one) => items.filter((other) => other === one).length > (schema.supply[one] ?? 0))) return false;
  for (const name of schema.pairwise ?? []) {
    if (new Set(items.map((one) => written(one[name]))).size < items.length) return false;
  }
  return fitsTotal(schema, items);
}

/** @param {Schema} schema  @param {Record<string, any>} value */
function fitsObject(schema, value) {
  const known = schema.properties ?? {};
  const rest = schema.additionalProperties ?? Object.keys(known).length === 0;
  if ((schema.required ?? []).some((/** @type {string} */ name) => !(name in value))) return false;
  if (Object.keys(value).length < (schema.minProperties ?? 0)) return false;
  for (const [name, one] of Object.entries(value)) {
    const sub = known[name] ?? rest;
    if (sub === false || (typeof sub === "object" && !fits(sub, one))) return false;
  }
  return fitsTotal(schema, Object.values(value).filter(Number.isInteger));
}

/** @param {any} value @returns {string} */
function written(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  return `{${Object.keys(value).sort().map((name) => `${name}:${written(value[name])}`).join()}}`;
}

/** @param {Schema} total  @param {any} item  @returns {number} */
function worth(total, item) {
  if (Number.isInteger(item)) return item;
  if (item !== null && typeof item === "object") return sum(Object.values(item).filter(Number.isInteger));
  return total.worth?.[item] ?? 1;
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** @param {Schema} schema  @param {any[]} items */
function fitsTotal(schema, items) {
  if (!schema.total) return true;
  const worths = items.map((one) => worth(schema.total, one));
  const all = sum(worths);
  const least = schema.total.minimum ?? 0;
  if (all < least || all > (schema.total.maximum ?? all)) return false;
  return (schema.total.spare ?? true) || worths.every((one) => all - one < least);
}

/** @template T @param {T[]} list  @param {() => number} random  @returns {T} */
const pick = (list, random) => list[Math.floor(random() * list.length)];

/** @param {number} low  @param {number} high  @param {() => number} random */
const between = (low, high, random) => low + Math.floor(random() * (high - low + 1));

/** @template T @param {T[]} list  @param {() => number} random  @returns {T[]} */
function shuffled(list, random) {
  const found = [...list];
  for (let at = found.length - 1; at > 0; at -= 1) {
    const other = between(0, at, random);
    [found[at], found[other]] = [found[other], found[at]];
  }
  return found;
}

/** @param {Schema} schema  @param {() => number} random  @returns {any} */
function sample(schema, random) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const value = draw(schema, random);
    if (fits(schema, value)) return value;
  }
  if ("default" in schema && fits(schema, schema.default)) return schema.default;
  throw new Error(`no value found for ${JSON.stringify(schema)}`);
}

/** Return a value that fits, but for sums and what items must not share.
 * @param {Schema} schema  @param {() => number} random  @returns {any} */
function draw(schema, random) {
  if ("oneOf" in schema) return sample(pick(schema.oneOf, random), random);
  if ("const" in schema) return schema.const;
  if ("enum" in schema) return pick(schema.enum, random);
  if ("examples" in schema) return pick(schema.examples, random);
  const kind = pick([schema.type ?? "null"].flat(), random);
  if (kind === "integer") return between(schema.minimum ?? 0, schema.maximum ?? 100, random);
  if (kind === "boolean") return random() < 0.5;
  if (kind === "string") return "text".slice(0, schema.maxLength ?? 4);
  if (kind === "object") return drawObject(schema, random);
  return kind === "array" ? drawArray(schema, random) : null;
}

/** @param {Schema} schema  @param {() => number} random */
function drawObject(schema, random) {
  /** @type {Record<string, any>} */
  const value = {};
  for (const [name, sub] of Object.entries(schema.properties ?? {})) {
    if ((schema.required ?? []).includes(name) || random() < 0.5) value[name] = sample(sub, random);
  }
  if (!schema.total) return value;
  const names = shuffled(Object.keys(value).filter((name) => Number.isInteger(value[name])), random);
  for (const name of names) {
    const limits = schema.properties[name];
    const wanted = value[name] + missing(schema.total, sum(names.map((one) => value[one])));
    value[name] = Math.max(limits.minimum ?? 0, Math.min(limits.maximum ?? wanted, wanted));
  }
  return value;
}

/** @param {Schema} schema  @param {() => number} random */
function drawArray(schema, random) {
  const items = schema.items ?? {};
  const least = schema.minItems ?? 0;
  if (!schema.supply && !items.enum) {
    const size = between(least, schema.maxItems ?? least + 2, random);
    const options = schema.pairwise && items.oneOf ? shuffled(items.oneOf, random).slice(0, size) : Array(size).fill(items);
    return settled(schema.total, options.map((/** @type {Schema} */ one) => sample(one, random)), options, random);
  }
  const listed = schema.supply
    ? Object.entries(schema.supply).flatMap(([one, count]) => Array(count).fill(one))
    : Array(schema.uniqueItems ? 1 : (schema.maxItems ?? 1)).fill(items.enum).flat();
  const pool = shuffled(listed, random);
  if (schema.total) return paid(schema.total, pool, random);
  return pool.slice(0, between(least, Math.min(schema.maxItems ?? pool.length, pool.length), random));
}

/** Choose items until their worth is enough, then leave out what is not needed.
 * @param {Schema} total  @param {any[]} pool  @param {() => number} random */
function paid(total, pool, random) {
  const least = total.minimum ?? 0;
  const most = total.maximum ?? Infinity;
  const frugal = !(total.spare ?? true);
  const goal = frugal ? least : between(least, Math.min(most, least + 3), random);
  /** @type {any[]} */
  let chosen = [];
  const all = () => sum(chosen.map((one) => worth(total, one)));
  for (const one of pool) if (all() < goal && all() + worth(total, one) <= most) chosen.push(one);
  for (const one of [...chosen].sort((a, b) => worth(total, a) - worth(total, b))) {
    if (frugal && all() - worth(total, one) >= least) chosen = chosen.toSpliced(chosen.indexOf(one), 1);
  }
  return chosen;
}

/** Change the integers of an array's objects so that their sum fits, as far as each allows.
 * @param {Schema | undefined} total  @param {any[]} items  @param {Schema[]} schemas  @param {() => number} random */
function settled(total, items, schemas, random) {
  if (!total) return items;
  const places = items.flatMap((one, at) => (one && typeof one === "object" ? Object.keys(one).map((name) => ({ at, name })) : []));
  for (const { at, name } of shuffled(places, random)) {
    if (!Number.isInteger(items[at][name])) continue;
    const limits = schemas[at].properties?.[name] ?? {};
    const wanted = items[at][name] + missing(total, sum(items.map((one) => worth(total, one))));
    items[at][name] = Math.max(limits.minimum ?? 0, Math.min(limits.maximum ?? wanted, wanted));
  }
  return items;
}

/** Return how much a sum has to change to fit.  @param {Schema} total  @param {number} now */
function missing(total, now) {
  return Math.max((total.minimum ?? now) - now, 0) || Math.min((total.maximum ?? now) - now, 0);
}
