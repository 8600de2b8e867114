// Written by `npm run generate` from workers/runtime/sandbox.

// workers/runtime/frames.ts
var prefixBytes = 8;
var FrameError = class extends Error {
  name = "FrameError";
};
function encodeFrame(header, body = "") {
  const headerText = JSON.stringify(header);
  const headerBytes = Buffer.byteLength(headerText);
  const bodyBytes = Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(prefixBytes + headerBytes + bodyBytes);
  frame.writeUInt32LE(4 + headerBytes + bodyBytes, 0);
  frame.writeUInt32LE(headerBytes, 4);
  frame.write(headerText, prefixBytes);
  frame.write(body, prefixBytes + headerBytes);
  return frame;
}
function createFrameReader(maxFrameBytes, onFrame) {
  let pending = [];
  let pendingBytes = 0;
  let needed = prefixBytes;
  return (chunk) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < needed) return;
    let buffer = pending.length === 1 ? chunk : Buffer.concat(pending, pendingBytes);
    needed = prefixBytes;
    while (buffer.length >= prefixBytes) {
      const length = buffer.readUInt32LE(0);
      const headerBytes = buffer.readUInt32LE(4);
      if (length > maxFrameBytes) throw new FrameError(`A frame of ${length} bytes is over ${maxFrameBytes}.`);
      if (headerBytes + 4 > length) throw new FrameError("A frame header is longer than its frame.");
      const end = 4 + length;
      if (buffer.length < end) {
        needed = end;
        break;
      }
      const bodyStart = prefixBytes + headerBytes;
      onFrame(buffer.toString("utf8", prefixBytes, bodyStart), buffer.toString("utf8", bodyStart, end));
      buffer = buffer.subarray(end);
    }
    pending = buffer.length > 0 ? [buffer] : [];
    pendingBytes = buffer.length;
  };
}

// workers/runtime/sandbox/warm-isolate.ts
import ivm from "isolated-vm";

// workers/runtime/sandbox/asks.ts
import { randomBytes, randomUUID } from "node:crypto";
var urlParts = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "origin"
];
var maxUrlChars = 65536;
var partsOf = (url) => JSON.stringify(Object.fromEntries(urlParts.map((part) => [part, url[part]])));
function answer(operation, a, b, c) {
  if (typeof a !== "string" || typeof b !== "string" || typeof c !== "string") return "";
  if (a.length + b.length + c.length > maxUrlChars) return "";
  if (operation === "uuid") return randomUUID();
  if (operation === "random") {
    const count = Number(a);
    return Number.isInteger(count) && count >= 0 && count <= 65536 ? randomBytes(count).toString("hex") : "";
  }
  if (operation === "url") {
    const url = URL.parse(a, b === "" ? void 0 : b);
    return url === null ? "" : partsOf(url);
  }
  if (operation === "url-set") {
    const url = URL.parse(a);
    const part = urlParts.find((name) => name === b && name !== "origin");
    if (url === null || part === void 0) return "";
    try {
      Reflect.set(url, part, c);
      return partsOf(url);
    } catch {
      return "";
    }
  }
  return "";
}

// workers/runtime/sandbox/realm.ts
function installRealm(post, limits) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const { isFinite, floor } = { isFinite: Number.isFinite, floor: Math.floor };
  const { PromiseOf, StringOf, ErrorOf, TypeErrorOf, RangeErrorOf } = {
    PromiseOf: Promise,
    StringOf: String,
    ErrorOf: Error,
    TypeErrorOf: TypeError,
    RangeErrorOf: RangeError
  };
  const { slice: sliceOf } = String.prototype;
  const slice = (text, end) => apply(sliceOf, text, [0, end]);
  const dateNow = Date.now;
  const scope = globalThis;
  const provide = (name, value) => {
    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
  };
  for (const name of ["SharedArrayBuffer", "Atomics", "WebAssembly", "FinalizationRegistry"]) delete scope[name];
  let settled = false;
  let started = false;
  function describe(thrown) {
    try {
      if (typeof thrown === "string") return { message: slice(thrown, limits.errorChars) };
      if (thrown === null || typeof thrown !== "object" && typeof thrown !== "function") {
        return { message: `The node threw ${slice(StringOf(thrown), limits.errorChars)}.` };
      }
      const { message, code } = thrown;
      const described = {
        message: typeof message === "string" && message !== "" ? slice(message, limits.errorChars) : textOf(thrown)
      };
      if (typeof code === "string") described.code = slice(code, 100);
      return described;
    } catch {
      return { message: "The node threw a value that cannot be read." };
    }
  }
  function textOf(value) {
    if (typeof value === "string") return value;
    try {
      if (value instanceof ErrorOf) return slice(StringOf(value.stack ?? value.message), limits.logLineChars);
      const json = typeof value === "object" ? stringify(value) : void 0;
      return typeof json === "string" ? json : StringOf(value);
    } catch {
      return "[a value that cannot be read]";
    }
  }
  function fail(kind, error) {
    if (settled) return;
    settled = true;
    post("failed", kind, stringify(error), "");
  }
  function finish(value) {
    if (settled) return;
    let json;
    try {
      json = stringify(value);
    } catch (error) {
      fail("invalid_result", { message: `The result is not JSON: ${describe(error).message}` });
      return;
    }
    if (settled) return;
    if (json === void 0 && value !== void 0) {
      fail("invalid_result", { message: `The result is not JSON: it is a ${typeof value}.` });
    } else if (json !== void 0 && json.length > limits.outputChars) {
      fail("output_too_large", {
        message: `The result is ${json.length} characters of JSON; at most ${limits.outputChars} are kept.`
      });
    } else {
      settled = true;
      post("done", json ?? "null", "", "");
    }
  }
  let lines = 0;
  function write(level, values) {
    if (lines > limits.logLines) return;
    lines += 1;
    if (lines > limits.logLines) {
      post("log", "warn", `More than ${limits.logLines} log lines: the rest is dropped.`, "");
      return;
    }
    let text = "";
    for (let index = 0; index < values.length && text.length <= limits.logLineChars; index += 1) {
      text += (index === 0 ? "" : " ") + textOf(values[index]);
    }
    post("log", level, slice(text, limits.logLineChars), "");
  }
  const calls = create(null);
  let callCount = 0;
  let pendingCalls = 0;
  function call(method, argument) {
    return new PromiseOf((resolve, reject) => {
      if (settled) throw new ErrorOf("The execution has ended.");
      if (pendingCalls >= limits.pendingCalls) {
        throw new RangeErrorOf(`More than ${limits.pendingCalls} calls are pending: await some of them first.`);
      }
      if (callCount >= limits.calls) throw new RangeErrorOf(`One execution may make ${limits.calls} calls.`);
      const json = stringify(argument);
      if (json.length > limits.callChars) {
        throw new RangeErrorOf(`A call may carry ${limits.callChars} characters of JSON, this one has ${json.length}.`);
      }
      callCount += 1;
      pendingCalls += 1;
      const id = StringOf(callCount);
      calls[id] = { resolve, reject };
      post("call", id, method, json);
    });
  }
  function settleCall(id, outcome, json) {
    const waiting = calls[id];
    if (waiting === void 0) return;
    delete calls[id];
    pendingCalls -= 1;
    const value = parse(json);
    if (outcome === "ok") {
      waiting.resolve(value);
      return;
    }
    const { message, code } = value;
    const error = new ErrorOf(message);
    if (code !== void 0) error.code = code;
    waiting.reject(error);
  }
  const timers = create(null);
  const timersBeforeStart = [];
  let timerCount = 0;
  let pendingTimers = 0;
  function setTimer(callback, delay, ...args) {
    if (typeof callback !== "function") throw new TypeErrorOf("setTimeout takes a function.");
    if (pendingTimers >= limits.timers) throw new RangeErrorOf(`More than ${limits.timers} timers are pending.`);
    timerCount += 1;
    pendingTimers += 1;
    const id = StringOf(timerCount);
    const milliseconds = typeof delay === "number" && isFinite(delay) && delay > 0 ? floor(delay) : 0;
    timers[id] = { callback, args };
    if (started) post("timer", id, StringOf(milliseconds), "");
    else timersBeforeStart[timersBeforeStart.length] = [id, StringOf(milliseconds)];
    return timerCount;
  }
  function clearTimer(id) {
    const key = StringOf(id);
    if (timers[key] === void 0) return;
    delete timers[key];
    pendingTimers -= 1;
  }
  function fireTimer(id) {
    const timer = timers[id];
    if (timer === void 0 || settled) return;
    clearTimer(id);
    try {
      apply(timer.callback, void 0, timer.args);
    } catch (error) {
      fail("threw", describe(error));
    }
  }
  const abortListeners = [];
  const signal = {
    aborted: false,
    reason: void 0,
    onabort: null,
    addEventListener(type, listener) {
      if (type !== "abort" || typeof listener !== "function" || abortListeners.length >= limits.timers) return;
      abortListeners[abortListeners.length] = listener;
    },
    removeEventListener(_type, listener) {
      for (let index = 0; index < abortListeners.length; index += 1) {
        if (abortListeners[index] === listener) abortListeners[index] = () => void 0;
      }
    },
    throwIfAborted() {
      if (signal.aborted && signal.reason !== void 0) throw signal.reason;
    }
  };
  function abort(message, code) {
    if (signal.aborted || settled) return;
    const reason = new ErrorOf(message);
    reason.name = "AbortError";
    reason.code = code;
    signal.reason = reason;
    signal.aborted = true;
    const listeners = [signal.onabort];
    for (let index = 0; index < abortListeners.length; index += 1) listeners[index + 1] = abortListeners[index];
    for (let index = 0; index < listeners.length; index += 1) {
      const listener = listeners[index];
      try {
        if (typeof listener === "function") apply(listener, signal, [{ type: "abort" }]);
      } catch {
      }
    }
  }
  const log = {
    debug: (...values) => write("debug", values),
    info: (...values) => write("info", values),
    warn: (...values) => write("warn", values),
    error: (...values) => write("error", values)
  };
  const request = (wanted) => {
    const { method, url, headers, query, body, timeoutMs, timeout_ms: timeout } = wanted ?? {};
    const target = typeof url === "object" && url !== null ? StringOf(url) : url;
    return call("http.request", { method, url: target, headers, query, body, timeoutMs: timeoutMs ?? timeout });
  };
  request.request = request;
  const expectedOf = (options2) => options2?.expectedVersion === void 0 ? options2?.version : options2.expectedVersion;
  function contextOf(input) {
    return {
      ...input,
      log,
      signal,
      http: request,
      state: {
        get: (namespace, key) => call("state.get", { namespace, key }),
        set: (namespace, key, value, options2) => call("state.set", {
          namespace,
          key,
          value,
          expectedVersion: expectedOf(options2),
          ttlSeconds: options2?.ttlSeconds ?? options2?.ttl_seconds
        }),
        delete: (namespace, key, options2) => call("state.delete", { namespace, key, expectedVersion: expectedOf(options2) })
      },
      credentials: {
        get: (reference, field) => call("credentials.get", { reference, field })
      }
    };
  }
  function start(entry, json) {
    started = true;
    for (let index = 0; index < timersBeforeStart.length; index += 1) {
      const [id, milliseconds] = timersBeforeStart[index];
      post("timer", id, milliseconds, "");
    }
    const run = async () => {
      try {
        const exported = scope["__node"] ?? {};
        const main = exported[entry];
        if (typeof main !== "function") {
          fail("threw", { message: `The node's code exports no ${entry}().`, code: "NO_SUCH_ENTRY" });
          return;
        }
        finish(await apply(main, void 0, [contextOf(parse(json))]));
      } catch (error) {
        fail("threw", describe(error));
      }
    };
    void run();
  }
  provide("console", {
    ...log,
    log: log.info,
    trace: log.debug
  });
  provide("setTimeout", setTimer);
  provide("clearTimeout", clearTimer);
  provide("performance", freeze({ now: () => dateNow() }));
  return (kind, a, b, c) => {
    if (kind === "start") start(a, b);
    else if (kind === "reply") settleCall(a, b, c);
    else if (kind === "timer") fireTimer(a);
    else if (kind === "abort") abort(a, b);
  };
}

// workers/runtime/sandbox/web-globals.ts
function installWebGlobals(ask) {
  "use strict";
  const { parse } = JSON;
  const { defineProperty } = Object;
  const scope = globalThis;
  const textOf = (value) => "".concat(value);
  const provide = (name, value) => {
    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
  };
  class Utf8Encoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      const source = textOf(text).toWellFormed();
      const bytes = new Uint8Array(source.length * 3);
      let length = 0;
      for (let index = 0; index < source.length; index += 1) {
        const point = source.codePointAt(index) ?? 0;
        if (point < 128) bytes[length++] = point;
        else if (point < 2048) {
          bytes[length++] = 192 | point >> 6;
          bytes[length++] = 128 | point & 63;
        } else if (point < 65536) {
          bytes[length++] = 224 | point >> 12;
          bytes[length++] = 128 | point >> 6 & 63;
          bytes[length++] = 128 | point & 63;
        } else {
          index += 1;
          bytes[length++] = 240 | point >> 18;
          bytes[length++] = 128 | point >> 12 & 63;
          bytes[length++] = 128 | point >> 6 & 63;
          bytes[length++] = 128 | point & 63;
        }
      }
      return bytes.slice(0, length);
    }
  }
  class Utf8Decoder {
    fatal;
    ignoreBOM;
    constructor(label = "utf-8", options2 = {}) {
      if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(textOf(label).trim())) {
        throw new RangeError(`Only UTF-8 is decoded here, not ${textOf(label)}.`);
      }
      this.fatal = Boolean(options2.fatal);
      this.ignoreBOM = Boolean(options2.ignoreBOM);
    }
    get encoding() {
      return "utf-8";
    }
    decode(input) {
      if (input === void 0) return "";
      const bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
      let text = "";
      let units = [];
      let index = !this.ignoreBOM && bytes[0] === 239 && bytes[1] === 187 && bytes[2] === 191 ? 3 : 0;
      while (index < bytes.length) {
        const first = bytes[index++] ?? 0;
        let point = first;
        if (first >= 128) {
          const more = first >= 194 && first < 224 ? 1 : first >= 224 && first < 240 ? 2 : first >= 240 && first < 245 ? 3 : 0;
          point = more === 0 ? -1 : first & 63 >> more;
          for (let step = 0; step < more && point >= 0; step += 1) {
            const next = bytes[index] ?? 0;
            const lowest = step > 0 ? 128 : first === 224 ? 160 : first === 240 ? 144 : 128;
            const highest = step > 0 ? 191 : first === 237 ? 159 : first === 244 ? 143 : 191;
            if (index >= bytes.length || next < lowest || next > highest) point = -1;
            else {
              point = point << 6 | next & 63;
              index += 1;
            }
          }
        }
        if (point < 0 && this.fatal) throw new TypeError("The bytes are not valid UTF-8.");
        units.push(point < 0 ? 65533 : point);
        if (units.length === 4096) {
          text += String.fromCodePoint(...units);
          units = [];
        }
      }
      return text + String.fromCodePoint(...units);
    }
  }
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function encodeBase64(input) {
    const text = textOf(input);
    let result = "";
    for (let index = 0; index < text.length; index += 3) {
      const [a, b, c] = [text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2)];
      if (a > 255 || b > 255 || c > 255) throw new RangeError("btoa takes characters up to U+00FF.");
      const bits = a << 16 | (b || 0) << 8 | (c || 0);
      result += alphabet.charAt(bits >> 18) + alphabet.charAt(bits >> 12 & 63);
      result += Number.isNaN(b) ? "=" : alphabet.charAt(bits >> 6 & 63);
      result += Number.isNaN(c) ? "=" : alphabet.charAt(bits & 63);
    }
    return result;
  }
  function decodeBase64(input) {
    let text = textOf(input).replace(/[\t\n\f\r ]/g, "");
    if (text.length % 4 === 0) text = text.replace(/={1,2}$/, "");
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError("atob takes base64.");
    let result = "";
    let bits = 0;
    let count = 0;
    for (const character of text) {
      bits = (bits << 6 | alphabet.indexOf(character)) & 16777215;
      count += 6;
      if (count >= 8) {
        count -= 8;
        result += String.fromCharCode(bits >> count & 255);
      }
    }
    return result;
  }
  function cloneValue(value, seen) {
    if (typeof value === "function" || typeof value === "symbol")
      throw new TypeError(`A ${typeof value} cannot be cloned.`);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const remember = (copy2) => {
      seen.set(value, copy2);
      return copy2;
    };
    if (value instanceof Date) return remember(new Date(value.getTime()));
    if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return remember(value.slice(0));
    if (value instanceof DataView) {
      return remember(new DataView(cloneValue(value.buffer, seen), value.byteOffset, value.byteLength));
    }
    if (ArrayBuffer.isView(value)) return remember(value.slice());
    if (value instanceof Map) {
      const copy2 = remember(/* @__PURE__ */ new Map());
      for (const [key, item] of value) copy2.set(cloneValue(key, seen), cloneValue(item, seen));
      return copy2;
    }
    if (value instanceof Set) {
      const copy2 = remember(/* @__PURE__ */ new Set());
      for (const item of value) copy2.add(cloneValue(item, seen));
      return copy2;
    }
    if (value instanceof Error) {
      const copy2 = remember(new Error(value.message));
      copy2.name = value.name;
      return copy2;
    }
    const copy = remember(Array.isArray(value) ? [] : {});
    if (Array.isArray(value)) Object.assign(copy, { length: value.length });
    for (const key of Object.keys(value)) {
      const item = cloneValue(value[key], seen);
      defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }
  const decodeForm = (text) => {
    const bytes = [];
    const plain = new Utf8Encoder().encode(text.replaceAll("+", " "));
    for (let index = 0; index < plain.length; index += 1) {
      const hex = plain[index] === 37 ? String.fromCharCode(plain[index + 1] ?? 0, plain[index + 2] ?? 0) : "";
      if (/^[0-9a-f]{2}$/i.test(hex)) {
        bytes.push(Number.parseInt(hex, 16));
        index += 2;
      } else bytes.push(plain[index] ?? 0);
    }
    return new Utf8Decoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  };
  const encodeForm = (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+").replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  class SearchParams {
    #pairs = [];
    #changed = () => void 0;
    constructor(init = "", changed) {
      if (typeof init === "object" && init !== null) {
        const entries = Symbol.iterator in init ? init : Object.entries(init);
        for (const [name, value] of entries) this.#pairs.push([textOf(name), textOf(value)]);
      } else {
        for (const part of textOf(init).replace(/^\?/, "").split("&")) {
          if (part === "") continue;
          const at = part.indexOf("=");
          const name = at < 0 ? part : part.slice(0, at);
          this.#pairs.push([decodeForm(name), at < 0 ? "" : decodeForm(part.slice(at + 1))]);
        }
      }
      if (changed !== void 0) this.#changed = changed;
    }
    get size() {
      return this.#pairs.length;
    }
    get(name) {
      return this.#pairs.find(([key]) => key === textOf(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === textOf(name)).map(([, value]) => value);
    }
    has(name) {
      return this.#pairs.some(([key]) => key === textOf(name));
    }
    append(name, value) {
      this.#pairs.push([textOf(name), textOf(value)]);
      this.#changed(this.toString());
    }
    set(name, value) {
      const first = this.#pairs.findIndex(([key]) => key === textOf(name));
      if (first < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter(([key], index) => index <= first || key !== textOf(name));
      this.#pairs[first] = [textOf(name), textOf(value)];
      this.#changed(this.toString());
    }
    delete(name) {
      this.#pairs = this.#pairs.filter(([key]) => key !== textOf(name));
      this.#changed(this.toString());
    }
    sort() {
      this.#pairs.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
      this.#changed(this.toString());
    }
    forEach(callback) {
      for (const [name, value] of this.#pairs) callback(value, name, this);
    }
    *entries() {
      yield* this.#pairs.map(([name, value]) => [name, value]);
    }
    *keys() {
      yield* this.#pairs.map(([name]) => name);
    }
    *values() {
      yield* this.#pairs.map(([, value]) => value);
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join("&");
    }
  }
  const parseUrl = (href, base) => ask("url", textOf(href), base === void 0 ? "" : textOf(base), "");
  const partsOf2 = /* @__PURE__ */ new WeakMap();
  const read2 = (url, part) => partsOf2.get(url)?.[part] ?? "";
  const write = (url, part, value) => {
    const json = ask("url-set", read2(url, "href"), part, textOf(value));
    if (json !== "") partsOf2.set(url, parse(json));
    else if (part === "href") throw new TypeError("Invalid URL");
  };
  class ParsedUrl {
    #params;
    #paramsOf = "";
    constructor(href, base) {
      const json = parseUrl(href, base);
      if (json === "") throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" });
      partsOf2.set(this, parse(json));
    }
    static canParse(href, base) {
      return parseUrl(href, base) !== "";
    }
    get searchParams() {
      const search = read2(this, "search");
      if (this.#params === void 0 || this.#paramsOf !== search) {
        this.#paramsOf = search;
        this.#params = new SearchParams(search, (query) => {
          write(this, "search", query);
          this.#paramsOf = read2(this, "search");
        });
      }
      return this.#params;
    }
    toString() {
      return read2(this, "href");
    }
    toJSON() {
      return read2(this, "href");
    }
  }
  for (const part of [
    "href",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
    "origin"
  ]) {
    defineProperty(ParsedUrl.prototype, part, {
      get() {
        return read2(this, part);
      },
      set: part === "origin" ? void 0 : function(value) {
        write(this, part, value);
      },
      enumerable: true,
      configurable: true
    });
  }
  provide("TextEncoder", Utf8Encoder);
  provide("TextDecoder", Utf8Decoder);
  provide("btoa", encodeBase64);
  provide("atob", decodeBase64);
  provide("structuredClone", (value) => cloneValue(value, /* @__PURE__ */ new Map()));
  provide("URLSearchParams", SearchParams);
  provide("URL", ParsedUrl);
  provide("queueMicrotask", (callback) => void Promise.resolve().then(callback));
  provide("crypto", {
    randomUUID: () => ask("uuid", "", "", ""),
    getRandomValues: (array) => {
      if (!ArrayBuffer.isView(array) || array.byteLength > 65536) {
        throw new RangeError("getRandomValues fills an integer array of at most 65536 bytes.");
      }
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      const hex = ask("random", String(bytes.length), "", "");
      for (let index = 0; index < bytes.length; index += 1) {
        bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
      }
      return array;
    }
  });
}

// workers/runtime/sandbox/warm-isolate.ts
var prelude = `(function (post, ask, limits) {
  'use strict';
  (${installWebGlobals.toString()})(ask);
  return (${installRealm.toString()})(post, JSON.parse(limits));
})`;
var prepareTimeoutMs = 2e3;
var askOverheadMs = 0.015;
var compiledPrelude = { source: prelude, cache: void 0 };
async function compile(isolate, code, filename) {
  if (code.cache !== void 0) return isolate.compileScript(code.source, { cachedData: code.cache, filename });
  const script = await isolate.compileScript(code.source, { produceCachedData: true, filename });
  code.cache = script.cachedData;
  return script;
}
var WarmIsolate = class {
  hash;
  isolate;
  executions = 0;
  /** `performance.now()` when it last became idle. */
  idleSince = 0;
  /** Whether the next execution's context is ready. */
  isPrepared = false;
  /** Called when V8 lost control over the isolate: nothing in the process can be trusted any more. */
  onCatastrophe = () => void 0;
  #next;
  #code;
  #limits;
  #scripts;
  constructor(hash, code, memoryMiB, limits) {
    this.hash = hash;
    this.#code = code;
    this.#limits = limits;
    this.isolate = new ivm.Isolate({ memoryLimit: memoryMiB, onCatastrophicError: () => this.onCatastrophe() });
  }
  prepare() {
    if (this.#next !== void 0) return;
    const next = this.#prepareSlot();
    this.#next = next;
    let guard = setTimeout(() => {
      if (this.#next !== next) return;
      this.dispose();
      guard = setTimeout(() => this.onCatastrophe(), prepareTimeoutMs);
    }, prepareTimeoutMs);
    this.isPrepared = false;
    const settled = () => {
      clearTimeout(guard);
      this.isPrepared = true;
    };
    next.then(settled, settled);
  }
  /** Rejects with what the node's top level threw, or with the isolate's end. */
  takeSlot() {
    this.prepare();
    const slot = this.#next;
    this.#next = void 0;
    return slot;
  }
  dispose() {
    this.#next = void 0;
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }
  async #prepareSlot() {
    this.#scripts ??= Promise.all([
      compile(this.isolate, compiledPrelude, "sandbox:prelude"),
      compile(this.isolate, this.#code, "node.js")
    ]);
    const [preludeScript, nodeScript] = await this.#scripts;
    const context = await this.isolate.createContext();
    const install = await preludeScript.run(context, { reference: true });
    const slot = {
      onMessage: void 0,
      early: [],
      hostMs: 0,
      dispatch: async () => void 0,
      release: () => void 0
    };
    slot.onMessage = (message) => {
      if (slot.early.length <= this.#limits.logLines + this.#limits.timers) slot.early.push(message);
    };
    const post = (kind, a, b, c) => {
      const areStrings = [kind, a, b, c].every((value) => typeof value === "string");
      if (areStrings) slot.onMessage?.({ kind, a, b, c });
    };
    const ask = (...call) => {
      const startedAt = performance.now();
      const answered = answer(...call);
      slot.hostMs += performance.now() - startedAt + askOverheadMs;
      return answered;
    };
    const installed = install.apply(
      void 0,
      [
        // Posting does not wait: the prelude bounds how much can be under way.
        new ivm.Callback(post, { ignored: true }),
        new ivm.Callback(ask, { sync: true }),
        JSON.stringify(this.#limits)
      ],
      { result: { reference: true } }
    );
    const loaded = nodeScript.run(context);
    const dispatch = (await Promise.all([installed, loaded]))[0];
    install.release();
    slot.dispatch = async (kind, a = "", b = "", c = "") => {
      await dispatch.apply(void 0, [kind, a, b, c]);
    };
    slot.release = () => {
      slot.onMessage = void 0;
      dispatch.release();
      context.release();
    };
    return slot;
  }
};

// workers/runtime/sandbox/execution-host.ts
var checkMs = 50;
var survivalMs = 250;
var settleMs = 100;
var timeoutGraceMs = 50;
var cancelled = { kind: "cancelled", message: "The run was cancelled.", code: "CANCELLED" };
var maxCodes = 64;
var logLevels = ["debug", "info", "warn", "error"];
var methods = ["http.request", "state.get", "state.set", "state.delete", "credentials.get"];
var ExecutionHost = class {
  #options;
  #send;
  #running = /* @__PURE__ */ new Map();
  #codes = /* @__PURE__ */ new Map();
  #codeRequests = /* @__PURE__ */ new Map();
  #codePending = /* @__PURE__ */ new Map();
  #idle = [];
  #leaving = /* @__PURE__ */ new Set();
  constructor(options2, send2) {
    this.#options = options2;
    this.#send = send2;
    setInterval(() => this.#check(), checkMs).unref();
  }
  receive(message, body) {
    if (message.type === "execute") {
      void this.#execute(message, body);
      return;
    }
    if (message.type === "code") {
      this.#codeRequests.get(message.id)?.(message.found ? body : void 0);
      this.#codeRequests.delete(message.id);
      return;
    }
    const running = this.#running.get(message.id);
    if (running === void 0) return;
    if (message.type === "reply") this.#enter(running, "reply", message.call, message.outcome, body);
    else this.#stopSoon(running, cancelled, this.#options.cancelGraceMs);
  }
  async #execute(request, input) {
    const running = {
      request,
      input,
      warm: void 0,
      slot: void 0,
      cpuAtStart: 0n,
      deadline: void 0,
      timers: /* @__PURE__ */ new Set(),
      entered: 0,
      overLimit: false,
      stopped: void 0,
      ended: false,
      answer: void 0
    };
    this.#running.set(request.id, running);
    const message = `The node did not finish in ${request.timeoutMs} ms.`;
    running.deadline = setTimeout(() => {
      this.#stopSoon(running, { kind: "timeout", message, code: "TIMEOUT" }, timeoutGraceMs);
    }, request.timeoutMs);
    try {
      const warm = this.#takeIdle(request.hash) ?? await this.#createIsolate(running);
      if (warm === void 0 || running.ended) {
        if (warm !== void 0) this.#giveBack(warm);
        return;
      }
      running.warm = warm;
      warm.onCatastrophe = () => {
        this.#die();
        this.#failMemory(running);
      };
      running.cpuAtStart = warm.isolate.cpuTime;
      warm.executions += 1;
      running.entered += 1;
      running.slot = await warm.takeSlot();
      running.entered -= 1;
    } catch (error) {
      this.#explain(running, error);
      if (running.warm !== void 0) this.#leave(running);
      return;
    }
    if (running.ended) {
      running.warm.dispose();
      this.#hasLeft(running);
      return;
    }
    const { slot } = running;
    for (const message2 of slot.early) this.#hear(running, message2);
    slot.early = [];
    slot.onMessage = (message2) => this.#hear(running, message2);
    this.#enter(running, "start", request.entry, input);
    running.input = "";
  }
  /** Calls into the isolate; a rejection is a promise the node left unhandled, or the isolate's end. */
  #enter(running, kind, a = "", b = "", c = "") {
    const { slot } = running;
    if (slot === void 0 || running.ended) return;
    running.entered += 1;
    slot.dispatch(kind, a, b, c).then(
      () => this.#leave(running),
      (error) => {
        if (running.warm?.isolate.isDisposed === true) this.#explain(running, error);
        else if (!running.ended)
          this.#hear(running, { kind: "log", a: "warn", b: `Unhandled rejection: ${messageOf(error)}`, c: "" });
        this.#leave(running);
      }
    );
  }
  #leave(running) {
    running.entered -= 1;
    if (!running.ended || running.entered > 0) return;
    this.#hasLeft(running);
    this.#recycle(running);
  }
  #hear(running, { kind, a, b, c }) {
    if (running.ended) return;
    const { id } = running.request;
    if (kind === "log") {
      const level = logLevels.find((known) => known === a);
      if (level !== void 0) this.#send({ type: "log", id, level }, b);
    } else if (kind === "call") {
      const method = methods.find((known) => known === b);
      if (method !== void 0) this.#send({ type: "call", id, call: a, method }, c);
    } else if (kind === "timer") {
      const timer = setTimeout(
        () => {
          running.timers.delete(timer);
          this.#enter(running, "timer", a);
        },
        Math.min(Number(b) || 0, running.request.timeoutMs)
      );
      running.timers.add(timer);
    } else if ((kind === "done" || kind === "failed") && running.stopped !== void 0) {
      const { kind: reason, message, code } = running.stopped;
      this.#fail(running, reason, message, code);
    } else if (kind === "done") {
      this.#end(running, () => this.#send({ type: "done", id }, a));
    } else if (kind === "failed") {
      const failure = a === "invalid_result" || a === "output_too_large" ? a : "threw";
      this.#end(running, () => this.#send({ type: "failed", id, kind: failure }, b));
    }
  }
  /** Aborts `ctx.signal`, and stops code that does not end by itself. Either way the reason is the outcome. */
  #stopSoon(running, reason, graceMs) {
    if (running.slot === void 0) {
      this.#stop(running, reason);
      return;
    }
    running.stopped = reason;
    this.#enter(running, "abort", reason.message, reason.code);
    running.timers.add(setTimeout(() => this.#stop(running, reason), graceMs));
  }
  #stop(running, reason) {
    if (running.ended) return;
    running.warm?.dispose();
    this.#fail(running, reason.kind, reason.message, reason.code);
  }
  /** Reports whether the isolate ended or the node's code did not load. */
  #explain(running, error) {
    if (running.ended) return;
    const message = messageOf(error);
    if (/memory limit/i.test(message)) {
      running.warm?.dispose();
      this.#failMemory(running);
    } else if (running.warm?.isolate.isDisposed === true) {
      this.#fail(running, "crashed", "The node stopped its isolate.");
    } else {
      running.warm?.dispose();
      this.#fail(running, "threw", `The node's code did not load: ${message}`, "LOAD_FAILED");
    }
  }
  #failMemory(running) {
    this.#fail(running, "memory", `The node used more than ${this.#options.memoryMiB} MiB of memory.`, "MEMORY_LIMIT");
  }
  #fail(running, kind, message, code) {
    if (running.ended) return;
    const { id } = running.request;
    this.#end(running, () => this.#send({ type: "failed", id, kind }, JSON.stringify({ message, code })));
  }
  /**
   * The answer is sent once the code has left the isolate, so that the isolate is free when the answer arrives. Code
   * that keeps running after it posted its result gets a moment, then its isolate is disposed of.
   */
  #end(running, answer2) {
    running.ended = true;
    clearTimeout(running.deadline);
    for (const timer of running.timers) clearTimeout(timer);
    running.timers.clear();
    if (running.slot !== void 0) running.slot.onMessage = void 0;
    running.answer = answer2;
    if (running.warm === void 0 || running.warm.isolate.isDisposed || running.entered === 0) this.#recycle(running);
    else running.deadline = setTimeout(() => this.#recycle(running), settleMs);
  }
  #recycle(running) {
    if (!this.#running.delete(running.request.id)) return;
    clearTimeout(running.deadline);
    const { warm, slot } = running;
    if (warm !== void 0 && !warm.isolate.isDisposed) {
      slot?.release();
      if (running.entered > 0 || warm.executions >= this.#options.maxExecutionsPerIsolate) warm.dispose();
      else this.#giveBack(warm);
    }
    if (running.entered > 0) this.#awaitLeaving(running);
    running.answer?.();
  }
  /** Takes no new work while code keeps running in a disposed isolate; exits when that code does not stop. */
  #awaitLeaving(running) {
    this.#send({ type: "paused" });
    this.#leaving.add(running);
    running.deadline = setTimeout(() => this.#die(), survivalMs);
  }
  #hasLeft(running) {
    if (!this.#leaving.delete(running)) return;
    clearTimeout(running.deadline);
    if (this.#leaving.size === 0) this.#send({ type: "ready" });
  }
  #giveBack(warm) {
    warm.onCatastrophe = () => this.#die();
    warm.idleSince = performance.now();
    warm.prepare();
    this.#idle = [...this.#idle.filter((other) => !other.isolate.isDisposed), warm];
    if (this.#idle.length > this.#options.maxIdleIsolates) this.#idle.shift()?.dispose();
  }
  #takeIdle(hash) {
    const fits = (warm) => warm.hash === hash && !warm.isolate.isDisposed;
    const ready = this.#idle.findLastIndex((warm) => fits(warm) && warm.isPrepared);
    const at = ready < 0 ? this.#idle.findLastIndex(fits) : ready;
    return at < 0 ? void 0 : this.#idle.splice(at, 1)[0];
  }
  async #createIsolate(running) {
    const code = await this.#codeFor(running);
    if (code === void 0 || running.ended) {
      this.#fail(running, "unavailable", "The node's code could not be loaded.", "CODE_UNAVAILABLE");
      return void 0;
    }
    return new WarmIsolate(running.request.hash, code, this.#options.memoryMiB, this.#options.realm);
  }
  async #codeFor(running) {
    const { hash, id } = running.request;
    const known = this.#codes.get(hash);
    if (known !== void 0) {
      this.#codes.delete(hash);
      this.#codes.set(hash, known);
      return known;
    }
    const pending = this.#codePending.get(hash);
    if (pending !== void 0) return pending;
    const asked = new Promise((resolve) => this.#codeRequests.set(id, resolve)).then((source) => {
      this.#codePending.delete(hash);
      if (source === void 0) return void 0;
      const code = { source, cache: void 0 };
      this.#codes.set(hash, code);
      const oldest = this.#codes.keys().next();
      if (this.#codes.size > maxCodes && oldest.done !== true) this.#codes.delete(oldest.value);
      return code;
    });
    this.#codePending.set(hash, asked);
    this.#send({ type: "code", id });
    return asked;
  }
  /** isolated-vm requires that the process exits when V8 has lost an isolate; the parent starts another. */
  #die() {
    this.#send({ type: "paused" });
    setImmediate(() => process.abort());
  }
  #check() {
    const oldest = performance.now() - this.#options.idleIsolateMs;
    while (this.#idle[0] !== void 0 && this.#idle[0].idleSince < oldest) this.#idle.shift()?.dispose();
    for (const running of this.#running.values()) {
      if (running.ended || running.warm === void 0) continue;
      if (running.warm.isolate.isDisposed) {
        if (running.overLimit) this.#failMemory(running);
        running.overLimit = true;
        continue;
      }
      const isolateMs = Number(running.warm.isolate.cpuTime - running.cpuAtStart) / 1e6;
      const usedMs = isolateMs + (running.slot?.hostMs ?? 0);
      if (usedMs > this.#options.maxCpuMs) {
        const message = `The node used more than ${this.#options.maxCpuMs} ms of processor time.`;
        this.#stop(running, { kind: "timeout", message, code: "CPU_LIMIT" });
      }
    }
  }
};
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// workers/runtime/sandbox/child.ts
var options = JSON.parse(process.argv[2] ?? "{}");
var send = (message, body) => {
  process.stdout.write(encodeFrame(message, body));
};
var host = new ExecutionHost(options, send);
var read = createFrameReader(options.maxFrameBytes, (header, body) => {
  host.receive(JSON.parse(header), body);
});
process.stdin.on("data", read);
var leave = () => {
  process.kill(process.pid, "SIGKILL");
  process.abort();
};
process.stdin.on("end", leave);
process.stdin.on("error", leave);
process.stdout.on("error", leave);
send({ type: "ready" });
