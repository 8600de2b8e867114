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

// workers/runtime/call-methods.ts
var callMethods = [
  "http.request",
  "state.get",
  "state.set",
  "state.delete",
  "credentials.get",
  "files.read",
  "files.create",
  "files.write",
  "files.end",
  "files.drop"
];

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
var urlPartsJson = (url) => JSON.stringify(Object.fromEntries(urlParts.map((part) => [part, url[part]])));
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
    return url === null ? "" : urlPartsJson(url);
  }
  if (operation === "url-set") {
    const url = URL.parse(a);
    const part = urlParts.find((name) => name === b && name !== "origin");
    if (url === null || part === void 0) return "";
    try {
      Reflect.set(url, part, c);
      return urlPartsJson(url);
    } catch {
      return "";
    }
  }
  return "";
}

// workers/runtime/sandbox/warm-isolate.ts
var prelude = `(function (hostPost, hostAsk, hostLimits) {
  'use strict';
  ${'"use strict";\nvar realm = (() => {\n  var __defProp = Object.defineProperty;\n  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;\n  var __getOwnPropNames = Object.getOwnPropertyNames;\n  var __hasOwnProp = Object.prototype.hasOwnProperty;\n  var __export = (target, all) => {\n    for (var name in all)\n      __defProp(target, name, { get: all[name], enumerable: true });\n  };\n  var __copyProps = (to, from, except, desc) => {\n    if (from && typeof from === "object" || typeof from === "function") {\n      for (let key of __getOwnPropNames(from))\n        if (!__hasOwnProp.call(to, key) && key !== except)\n          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });\n    }\n    return to;\n  };\n  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);\n\n  // workers/runtime/sandbox/realm/realm.ts\n  var realm_exports = {};\n  __export(realm_exports, {\n    dispatch: () => dispatch\n  });\n\n  // workers/runtime/sandbox/realm/builtins.ts\n  var { parse, stringify } = JSON;\n  var { create, defineProperty, freeze } = Object;\n  var { apply } = Reflect;\n  var { isFinite, floor, now } = { isFinite: Number.isFinite, floor: Math.floor, now: Date.now };\n  var NativePromise = Promise;\n  var NativeString = String;\n  var NativeError = Error;\n  var NativeTypeError = TypeError;\n  var NativeRangeError = RangeError;\n  var { slice: sliceString } = String.prototype;\n  var slice = (text2, end) => apply(sliceString, text2, [0, end]);\n  var scope = globalThis;\n  var provide = (name, value) => {\n    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });\n  };\n  for (const name of ["SharedArrayBuffer", "Atomics", "WebAssembly", "FinalizationRegistry"]) delete scope[name];\n\n  // workers/runtime/sandbox/realm/host.ts\n  var post = hostPost;\n  var ask = hostAsk;\n  var limits = JSON.parse(hostLimits);\n\n  // workers/runtime/sandbox/realm/structured-clone.ts\n  function cloneValue(value, seen = /* @__PURE__ */ new Map()) {\n    if (typeof value === "function" || typeof value === "symbol")\n      throw new TypeError(`A ${typeof value} cannot be cloned.`);\n    if (typeof value !== "object" || value === null) return value;\n    if (seen.has(value)) return seen.get(value);\n    const remember = (copy2) => {\n      seen.set(value, copy2);\n      return copy2;\n    };\n    if (value instanceof Date) return remember(new Date(value.getTime()));\n    if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));\n    if (value instanceof ArrayBuffer) return remember(value.slice(0));\n    if (value instanceof DataView) {\n      return remember(new DataView(cloneValue(value.buffer, seen), value.byteOffset, value.byteLength));\n    }\n    if (ArrayBuffer.isView(value)) return remember(value.slice());\n    if (value instanceof Map) {\n      const copy2 = remember(/* @__PURE__ */ new Map());\n      for (const [key, item] of value) copy2.set(cloneValue(key, seen), cloneValue(item, seen));\n      return copy2;\n    }\n    if (value instanceof Set) {\n      const copy2 = remember(/* @__PURE__ */ new Set());\n      for (const item of value) copy2.add(cloneValue(item, seen));\n      return copy2;\n    }\n    if (value instanceof Error) {\n      const copy2 = remember(new Error(value.message));\n      copy2.name = value.name;\n      return copy2;\n    }\n    const copy = remember(Array.isArray(value) ? [] : {});\n    if (Array.isArray(value)) Object.assign(copy, { length: value.length });\n    for (const key of Object.keys(value)) {\n      const item = cloneValue(value[key], seen);\n      defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });\n    }\n    return copy;\n  }\n\n  // workers/runtime/sandbox/realm/text-encoding.ts\n  var alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";\n  var toText = (value) => "".concat(value);\n  var Utf8Encoder = class {\n    get encoding() {\n      return "utf-8";\n    }\n    encode(text2 = "") {\n      const source = toText(text2).toWellFormed();\n      const bytes = new Uint8Array(source.length * 3);\n      let length = 0;\n      for (let index = 0; index < source.length; index += 1) {\n        const point = source.codePointAt(index) ?? 0;\n        if (point < 128) bytes[length++] = point;\n        else if (point < 2048) {\n          bytes[length++] = 192 | point >> 6;\n          bytes[length++] = 128 | point & 63;\n        } else if (point < 65536) {\n          bytes[length++] = 224 | point >> 12;\n          bytes[length++] = 128 | point >> 6 & 63;\n          bytes[length++] = 128 | point & 63;\n        } else {\n          index += 1;\n          bytes[length++] = 240 | point >> 18;\n          bytes[length++] = 128 | point >> 12 & 63;\n          bytes[length++] = 128 | point >> 6 & 63;\n          bytes[length++] = 128 | point & 63;\n        }\n      }\n      return bytes.slice(0, length);\n    }\n  };\n  var Utf8Decoder = class {\n    fatal;\n    ignoreBOM;\n    constructor(label = "utf-8", options = {}) {\n      if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(toText(label).trim())) {\n        throw new RangeError(`Only UTF-8 is decoded here, not ${toText(label)}.`);\n      }\n      this.fatal = Boolean(options.fatal);\n      this.ignoreBOM = Boolean(options.ignoreBOM);\n    }\n    get encoding() {\n      return "utf-8";\n    }\n    decode(input) {\n      if (input === void 0) return "";\n      const bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);\n      let text2 = "";\n      let units = [];\n      let index = !this.ignoreBOM && bytes[0] === 239 && bytes[1] === 187 && bytes[2] === 191 ? 3 : 0;\n      while (index < bytes.length) {\n        const first = bytes[index++] ?? 0;\n        let point = first;\n        if (first >= 128) {\n          const more = first >= 194 && first < 224 ? 1 : first >= 224 && first < 240 ? 2 : first >= 240 && first < 245 ? 3 : 0;\n          point = more === 0 ? -1 : first & 63 >> more;\n          for (let step = 0; step < more && point >= 0; step += 1) {\n            const next = bytes[index] ?? 0;\n            const lowest = step > 0 ? 128 : first === 224 ? 160 : first === 240 ? 144 : 128;\n            const highest = step > 0 ? 191 : first === 237 ? 159 : first === 244 ? 143 : 191;\n            if (index >= bytes.length || next < lowest || next > highest) point = -1;\n            else {\n              point = point << 6 | next & 63;\n              index += 1;\n            }\n          }\n        }\n        if (point < 0 && this.fatal) throw new TypeError("The bytes are not valid UTF-8.");\n        units.push(point < 0 ? 65533 : point);\n        if (units.length === 4096) {\n          text2 += String.fromCodePoint(...units);\n          units = [];\n        }\n      }\n      return text2 + String.fromCodePoint(...units);\n    }\n  };\n  var codes = Array.from(alphabet, (character) => character.charCodeAt(0));\n  var padding = "=".charCodeAt(0);\n  var callWidth = 8192;\n  var textFromCodes = (units) => {\n    let text2 = "";\n    for (let at = 0; at < units.length; at += callWidth)\n      text2 += String.fromCharCode(...units.subarray(at, at + callWidth));\n    return text2;\n  };\n  function bytesToBase64(bytes) {\n    const result = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);\n    for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {\n      const left = bytes.length - from;\n      const bits = (bytes[from] ?? 0) << 16 | (bytes[from + 1] ?? 0) << 8 | (bytes[from + 2] ?? 0);\n      result[to] = codes[bits >> 18] ?? 0;\n      result[to + 1] = codes[bits >> 12 & 63] ?? 0;\n      if (left > 1) result[to + 2] = codes[bits >> 6 & 63] ?? 0;\n      if (left > 2) result[to + 3] = codes[bits & 63] ?? 0;\n    }\n    return textFromCodes(result);\n  }\n  var digits = new Int8Array(128).fill(-1);\n  for (const [digit, code] of codes.entries()) digits[code] = digit;\n  function base64ToBytes(given) {\n    let text2 = given.replace(/[\\t\\n\\f\\r ]/g, "");\n    if (text2.length % 4 === 0) text2 = text2.replace(/={1,2}$/, "");\n    if (text2.length % 4 === 1) throw new RangeError("atob takes base64.");\n    const bytes = new Uint8Array(Math.floor(text2.length * 3 / 4));\n    let bits = 0;\n    let count = 0;\n    let length = 0;\n    for (let index = 0; index < text2.length; index += 1) {\n      const digit = digits[text2.charCodeAt(index)] ?? -1;\n      if (digit < 0) throw new RangeError("atob takes base64.");\n      bits = (bits << 6 | digit) & 16777215;\n      count += 6;\n      if (count >= 8) {\n        count -= 8;\n        bytes[length++] = bits >> count & 255;\n      }\n    }\n    return bytes;\n  }\n  function encodeBase64(input) {\n    const text2 = toText(input);\n    const bytes = new Uint8Array(text2.length);\n    for (let index = 0; index < text2.length; index += 1) {\n      const code = text2.charCodeAt(index);\n      if (code > 255) throw new RangeError("btoa takes characters up to U+00FF.");\n      bytes[index] = code;\n    }\n    return bytesToBase64(bytes);\n  }\n  var decodeBase64 = (input) => textFromCodes(base64ToBytes(toText(input)));\n\n  // workers/runtime/sandbox/realm/urls.ts\n  var decodeForm = (text2) => {\n    const bytes = [];\n    const plain = new Utf8Encoder().encode(text2.replaceAll("+", " "));\n    for (let index = 0; index < plain.length; index += 1) {\n      const hex = plain[index] === 37 ? String.fromCharCode(plain[index + 1] ?? 0, plain[index + 2] ?? 0) : "";\n      if (/^[0-9a-f]{2}$/i.test(hex)) {\n        bytes.push(Number.parseInt(hex, 16));\n        index += 2;\n      } else bytes.push(plain[index] ?? 0);\n    }\n    return new Utf8Decoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));\n  };\n  var encodeForm = (text2) => encodeURIComponent(text2.toWellFormed()).replaceAll("%20", "+").replace(/[!\'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);\n  var SearchParams = class {\n    #pairs = [];\n    #changed = () => void 0;\n    constructor(init = "", changed) {\n      if (typeof init === "object" && init !== null) {\n        const entries = Symbol.iterator in init ? init : Object.entries(init);\n        for (const [name, value] of entries) this.#pairs.push([toText(name), toText(value)]);\n      } else {\n        for (const part of toText(init).replace(/^\\?/, "").split("&")) {\n          if (part === "") continue;\n          const at = part.indexOf("=");\n          const name = at < 0 ? part : part.slice(0, at);\n          this.#pairs.push([decodeForm(name), at < 0 ? "" : decodeForm(part.slice(at + 1))]);\n        }\n      }\n      if (changed !== void 0) this.#changed = changed;\n    }\n    get size() {\n      return this.#pairs.length;\n    }\n    get(name) {\n      return this.#pairs.find(([key]) => key === toText(name))?.[1] ?? null;\n    }\n    getAll(name) {\n      return this.#pairs.filter(([key]) => key === toText(name)).map(([, value]) => value);\n    }\n    has(name) {\n      return this.#pairs.some(([key]) => key === toText(name));\n    }\n    append(name, value) {\n      this.#pairs.push([toText(name), toText(value)]);\n      this.#changed(this.toString());\n    }\n    set(name, value) {\n      const first = this.#pairs.findIndex(([key]) => key === toText(name));\n      if (first < 0) return this.append(name, value);\n      this.#pairs = this.#pairs.filter(([key], index) => index <= first || key !== toText(name));\n      this.#pairs[first] = [toText(name), toText(value)];\n      this.#changed(this.toString());\n    }\n    delete(name) {\n      this.#pairs = this.#pairs.filter(([key]) => key !== toText(name));\n      this.#changed(this.toString());\n    }\n    sort() {\n      this.#pairs.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);\n      this.#changed(this.toString());\n    }\n    forEach(callback) {\n      for (const [name, value] of this.#pairs) callback(value, name, this);\n    }\n    *entries() {\n      yield* this.#pairs.map(([name, value]) => [name, value]);\n    }\n    *keys() {\n      yield* this.#pairs.map(([name]) => name);\n    }\n    *values() {\n      yield* this.#pairs.map(([, value]) => value);\n    }\n    [Symbol.iterator]() {\n      return this.entries();\n    }\n    toString() {\n      return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join("&");\n    }\n  };\n  var urlParts = [\n    "href",\n    "protocol",\n    "username",\n    "password",\n    "host",\n    "hostname",\n    "port",\n    "pathname",\n    "search",\n    "hash",\n    "origin"\n  ];\n  var parseUrl = (href, base) => ask("url", toText(href), base === void 0 ? "" : toText(base), "");\n  var ParsedUrl = class _ParsedUrl {\n    #parts;\n    #params;\n    /** The query that `#params` was made of. */\n    #paramsQuery = "";\n    static {\n      for (const part of urlParts) {\n        defineProperty(_ParsedUrl.prototype, part, {\n          get() {\n            return this.#parts[part];\n          },\n          set: part === "origin" ? void 0 : function(value) {\n            this.#write(part, value);\n          },\n          enumerable: true,\n          configurable: true\n        });\n      }\n    }\n    constructor(href, base) {\n      const json = parseUrl(href, base);\n      if (json === "") throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" });\n      this.#parts = parse(json);\n    }\n    static canParse(href, base) {\n      return parseUrl(href, base) !== "";\n    }\n    get searchParams() {\n      const { search } = this.#parts;\n      if (this.#params === void 0 || this.#paramsQuery !== search) {\n        this.#paramsQuery = search;\n        this.#params = new SearchParams(search, (query) => {\n          this.#write("search", query);\n          this.#paramsQuery = this.#parts.search;\n        });\n      }\n      return this.#params;\n    }\n    toString() {\n      return this.#parts.href;\n    }\n    toJSON() {\n      return this.#parts.href;\n    }\n    #write(part, value) {\n      const json = ask("url-set", this.#parts.href, part, toText(value));\n      if (json !== "") this.#parts = parse(json);\n      else if (part === "href") throw new TypeError("Invalid URL");\n    }\n  };\n\n  // workers/runtime/sandbox/realm/web-globals.ts\n  provide("TextEncoder", Utf8Encoder);\n  provide("TextDecoder", Utf8Decoder);\n  provide("btoa", encodeBase64);\n  provide("atob", decodeBase64);\n  provide("structuredClone", (value) => cloneValue(value));\n  provide("URLSearchParams", SearchParams);\n  provide("URL", ParsedUrl);\n  provide("queueMicrotask", (callback) => void Promise.resolve().then(callback));\n  provide("crypto", {\n    randomUUID: () => ask("uuid", "", "", ""),\n    getRandomValues: (array) => {\n      if (!ArrayBuffer.isView(array) || array.byteLength > 65536) {\n        throw new RangeError("getRandomValues fills an integer array of at most 65536 bytes.");\n      }\n      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);\n      const hex = ask("random", String(bytes.length), "", "");\n      for (let index = 0; index < bytes.length; index += 1) {\n        bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);\n      }\n      return array;\n    }\n  });\n\n  // workers/runtime/sandbox/realm/log.ts\n  var lines = 0;\n  function textOfValue(value) {\n    if (typeof value === "string") return value;\n    try {\n      if (value instanceof NativeError) return slice(NativeString(value.stack ?? value.message), limits.logLineChars);\n      const json = typeof value === "object" ? stringify(value) : void 0;\n      return typeof json === "string" ? json : NativeString(value);\n    } catch {\n      return "[a value that cannot be read]";\n    }\n  }\n  function write(level, values) {\n    if (lines > limits.logLines) return;\n    lines += 1;\n    if (lines > limits.logLines) {\n      post("log", "warn", `More than ${limits.logLines} log lines: the rest is dropped.`, "");\n      return;\n    }\n    let text2 = "";\n    for (let index = 0; index < values.length && text2.length <= limits.logLineChars; index += 1) {\n      text2 += (index === 0 ? "" : " ") + textOfValue(values[index]);\n    }\n    post("log", level, slice(text2, limits.logLineChars), "");\n  }\n  var log = {\n    debug: (...values) => write("debug", values),\n    info: (...values) => write("info", values),\n    warn: (...values) => write("warn", values),\n    error: (...values) => write("error", values)\n  };\n\n  // workers/runtime/sandbox/realm/outcome.ts\n  var ended = false;\n  var hasEnded = () => ended;\n  function describe(thrown) {\n    try {\n      if (typeof thrown === "string") return { message: slice(thrown, limits.errorChars) };\n      if (thrown === null || typeof thrown !== "object" && typeof thrown !== "function") {\n        return { message: `The node threw ${slice(NativeString(thrown), limits.errorChars)}.` };\n      }\n      const { message, code, stack } = thrown;\n      const report = {\n        message: typeof message === "string" && message !== "" ? slice(message, limits.errorChars) : textOfValue(thrown)\n      };\n      if (typeof code === "string") report.code = slice(code, 100);\n      if (typeof stack === "string") report.stack = slice(stack, limits.errorChars);\n      return report;\n    } catch {\n      return { message: "The node threw a value that cannot be read." };\n    }\n  }\n  function fail(kind, error) {\n    if (ended) return;\n    ended = true;\n    post("failed", kind, stringify(error), "");\n  }\n  function finish(result) {\n    if (ended) return;\n    let json;\n    try {\n      json = stringify(result);\n    } catch (error) {\n      fail("invalid_result", { message: `The result is not JSON: ${describe(error).message}` });\n      return;\n    }\n    if (hasEnded()) return;\n    if (json === void 0 && result !== void 0) {\n      fail("invalid_result", { message: `The result is not JSON: it is a ${typeof result}.` });\n    } else if (json !== void 0 && json.length > limits.outputChars) {\n      fail("output_too_large", {\n        message: `The result is ${json.length} characters of JSON; at most ${limits.outputChars} are kept.`\n      });\n    } else {\n      ended = true;\n      post("done", json ?? "null", "", "");\n    }\n  }\n\n  // workers/runtime/sandbox/realm/abort-signal.ts\n  var listeners = [];\n  var signal = {\n    aborted: false,\n    reason: void 0,\n    onabort: null,\n    addEventListener(type, listener) {\n      if (type !== "abort" || typeof listener !== "function" || listeners.length >= limits.timers) return;\n      listeners[listeners.length] = listener;\n    },\n    removeEventListener(_type, listener) {\n      for (let index = 0; index < listeners.length; index += 1) {\n        if (listeners[index] === listener) listeners[index] = () => void 0;\n      }\n    },\n    throwIfAborted() {\n      if (signal.aborted && signal.reason !== void 0) throw signal.reason;\n    }\n  };\n  function abort(message, code) {\n    if (signal.aborted || hasEnded()) return;\n    const reason = new NativeError(message);\n    reason.name = "AbortError";\n    reason.code = code;\n    signal.reason = reason;\n    signal.aborted = true;\n    const called = [signal.onabort];\n    for (let index = 0; index < listeners.length; index += 1) called[index + 1] = listeners[index];\n    for (let index = 0; index < called.length; index += 1) {\n      const listener = called[index];\n      try {\n        if (typeof listener === "function") apply(listener, signal, [{ type: "abort" }]);\n      } catch {\n      }\n    }\n  }\n\n  // workers/runtime/sandbox/realm/calls.ts\n  var pending = create(null);\n  var pendingCount = 0;\n  var callCount = 0;\n  function call(method, argument) {\n    return new NativePromise((resolve, reject) => {\n      if (hasEnded()) throw new NativeError("The execution has ended.");\n      if (pendingCount >= limits.pendingCalls) {\n        throw new NativeRangeError(`More than ${limits.pendingCalls} calls are pending: await some of them first.`);\n      }\n      if (callCount >= limits.calls) throw new NativeRangeError(`One execution may make ${limits.calls} calls.`);\n      const json = stringify(argument);\n      if (json.length > limits.callChars) {\n        throw new NativeRangeError(\n          `A call may carry ${limits.callChars} characters of JSON, this one has ${json.length}.`\n        );\n      }\n      callCount += 1;\n      pendingCount += 1;\n      const id = NativeString(callCount);\n      pending[id] = { resolve, reject };\n      post("call", id, method, json);\n    });\n  }\n  function settleCall(id, outcome, json) {\n    const settled = pending[id];\n    if (settled === void 0) return;\n    delete pending[id];\n    pendingCount -= 1;\n    const value = parse(json);\n    if (outcome === "ok") {\n      settled.resolve(value);\n      return;\n    }\n    const { message, code } = value;\n    const error = new NativeError(message);\n    if (code !== void 0) error.code = code;\n    settled.reject(error);\n  }\n\n  // workers/runtime/sandbox/realm/files.ts\n  var partBytes = 256 * 1024;\n  async function read(file, { offset = 0, length = partBytes } = {}) {\n    const { part } = await call("files.read", { file: file.file, offset, length });\n    return base64ToBytes(part);\n  }\n  async function* parts(file) {\n    let offset = 0;\n    while (true) {\n      const part = await read(file, { offset });\n      if (part.length > 0) yield part;\n      if (part.length < partBytes) return;\n      offset += part.length;\n    }\n  }\n  async function text(file) {\n    const read2 = [];\n    let length = 0;\n    for await (const part of parts(file)) {\n      read2.push(part);\n      length += part.length;\n    }\n    const whole = new Uint8Array(length);\n    let at = 0;\n    for (const part of read2) {\n      whole.set(part, at);\n      at += part.length;\n    }\n    return new Utf8Decoder().decode(whole);\n  }\n  var isWhole = (content) => typeof content === "string" || ArrayBuffer.isView(content);\n  async function send(writer, content) {\n    const part = new Uint8Array(partBytes);\n    let used = 0;\n    const write2 = (bytes) => call("files.write", { writer, part: bytesToBase64(bytes) });\n    for await (const piece of isWhole(content) ? [content] : content) {\n      const bytes = typeof piece === "string" ? new Utf8Encoder().encode(piece) : piece;\n      for (let at = 0; at < bytes.length; ) {\n        const taken = bytes.subarray(at, at + partBytes - used);\n        part.set(taken, used);\n        used += taken.length;\n        at += taken.length;\n        if (used < partBytes) continue;\n        await write2(part);\n        used = 0;\n      }\n    }\n    if (used > 0) await write2(part.subarray(0, used));\n  }\n  async function create2(file, content) {\n    const { writer } = await call("files.create", { name: file?.name, type: file?.type });\n    try {\n      await send(writer, content);\n    } catch (error) {\n      await call("files.drop", { writer }).catch(() => void 0);\n      throw error;\n    }\n    return call("files.end", { writer });\n  }\n  var files = { read, parts, text, create: create2 };\n\n  // workers/runtime/sandbox/realm/node-context.ts\n  var request = (wanted) => {\n    const { method, url, headers, query, body, file, answer, timeoutMs, timeout_ms: timeout } = wanted ?? {};\n    const target = typeof url === "object" && url !== null ? NativeString(url) : url;\n    return call("http.request", {\n      method,\n      url: target,\n      headers,\n      query,\n      body,\n      file,\n      answer,\n      timeoutMs: timeoutMs ?? timeout\n    });\n  };\n  request.request = request;\n  var expectedVersion = (options) => options?.expectedVersion === void 0 ? options?.version : options.expectedVersion;\n  var nodeContext = (input) => ({\n    ...input,\n    log,\n    signal,\n    http: request,\n    files,\n    state: {\n      get: (namespace, key) => call("state.get", { namespace, key }),\n      set: (namespace, key, value, options) => call("state.set", {\n        namespace,\n        key,\n        value,\n        expectedVersion: expectedVersion(options),\n        ttlSeconds: options?.ttlSeconds ?? options?.ttl_seconds\n      }),\n      delete: (namespace, key, options) => call("state.delete", { namespace, key, expectedVersion: expectedVersion(options) })\n    },\n    credentials: {\n      get: (reference, field) => call("credentials.get", { reference, field })\n    }\n  });\n\n  // workers/runtime/sandbox/realm/timers.ts\n  var pending2 = create(null);\n  var pendingCount2 = 0;\n  var timerCount = 0;\n  var setBeforeStart = [];\n  var started = false;\n  function setTimer(callback, delay, ...args) {\n    if (typeof callback !== "function") throw new NativeTypeError("setTimeout takes a function.");\n    if (pendingCount2 >= limits.timers) throw new NativeRangeError(`More than ${limits.timers} timers are pending.`);\n    timerCount += 1;\n    pendingCount2 += 1;\n    const id = NativeString(timerCount);\n    const milliseconds = NativeString(typeof delay === "number" && isFinite(delay) && delay > 0 ? floor(delay) : 0);\n    pending2[id] = { callback, args };\n    if (started) post("timer", id, milliseconds, "");\n    else setBeforeStart[setBeforeStart.length] = { id, milliseconds };\n    return timerCount;\n  }\n  function clearTimer(id) {\n    const key = NativeString(id);\n    if (pending2[key] === void 0) return;\n    delete pending2[key];\n    pendingCount2 -= 1;\n  }\n  function fireTimer(id) {\n    const timer = pending2[id];\n    if (timer === void 0 || hasEnded()) return;\n    clearTimer(id);\n    try {\n      apply(timer.callback, void 0, timer.args);\n    } catch (error) {\n      fail("threw", describe(error));\n    }\n  }\n  function startTimers() {\n    started = true;\n    for (let index = 0; index < setBeforeStart.length; index += 1) {\n      const timer = setBeforeStart[index];\n      if (timer !== void 0) post("timer", timer.id, timer.milliseconds, "");\n    }\n  }\n\n  // workers/runtime/sandbox/realm/realm.ts\n  provide("console", { ...log, log: log.info, trace: log.debug });\n  provide("setTimeout", setTimer);\n  provide("clearTimeout", clearTimer);\n  provide("performance", freeze({ now: () => now() }));\n  var callArguments = (entry, input) => entry === "migrate" ? [input["config"], input["fromVersion"]] : [nodeContext(input)];\n  async function run(entry, input) {\n    try {\n      const exported = scope["__node"] ?? {};\n      const main = exported[entry];\n      if (main === void 0) {\n        fail("threw", { message: `The node\'s code exports no ${entry}().`, code: "NO_SUCH_ENTRY" });\n      } else if (typeof main !== "function") {\n        fail("threw", { message: `The node\'s code exports ${entry}, which is no function.`, code: "NOT_A_FUNCTION" });\n      } else {\n        finish(await apply(main, void 0, callArguments(entry, parse(input))));\n      }\n    } catch (error) {\n      fail("threw", describe(error));\n    }\n  }\n  var dispatch = (kind, a, b, c) => {\n    if (kind === "start") {\n      startTimers();\n      void run(a, b);\n    } else if (kind === "reply") settleCall(a, b, c);\n    else if (kind === "timer") fireTimer(a);\n    else if (kind === "abort") abort(a, b);\n  };\n  return __toCommonJS(realm_exports);\n})();\n'}
  return realm.dispatch;
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
  /** True when the next execution's context is ready. */
  isPrepared = false;
  /** Called when V8 lost control over the isolate. Nothing in the process can be trusted then. */
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
      this.#failWith(running, error);
      if (running.warm !== void 0) this.#leave(running);
      return;
    }
    if (running.ended) {
      running.warm.dispose();
      this.#hasLeft(running);
      return;
    }
    const { slot } = running;
    for (const message2 of slot.early) this.#handleMessage(running, message2);
    slot.early = [];
    slot.onMessage = (message2) => this.#handleMessage(running, message2);
    this.#enter(running, "start", request.entry, input);
    running.input = "";
  }
  /** Calls into the isolate. It rejects when the node left a rejected promise unhandled, and when the isolate ends. */
  #enter(running, kind, a = "", b = "", c = "") {
    const { slot } = running;
    if (slot === void 0 || running.ended) return;
    running.entered += 1;
    slot.dispatch(kind, a, b, c).then(
      () => this.#leave(running),
      (error) => {
        if (running.warm?.isolate.isDisposed === true) this.#failWith(running, error);
        else if (!running.ended)
          this.#handleMessage(running, {
            kind: "log",
            a: "warn",
            b: `Unhandled rejection: ${errorMessage(error)}`,
            c: ""
          });
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
  #handleMessage(running, { kind, a, b, c }) {
    if (running.ended) return;
    const { id } = running.request;
    if (kind === "log") {
      const level = logLevels.find((known) => known === a);
      if (level !== void 0) this.#send({ type: "log", id, level }, b);
    } else if (kind === "call") {
      const method = callMethods.find((known) => known === b);
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
  /** Aborts `ctx.signal`, and stops code that has not ended after `graceMs`. The outcome is the reason in both cases. */
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
  /** Fails an execution whose isolate ended or whose code did not load. */
  #failWith(running, error) {
    if (running.ended) return;
    const message = errorMessage(error);
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
    const requested = new Promise((resolve) => this.#codeRequests.set(id, resolve)).then(
      (source) => {
        this.#codePending.delete(hash);
        if (source === void 0) return void 0;
        const code = { source, cache: void 0 };
        this.#codes.set(hash, code);
        const oldest = this.#codes.keys().next();
        if (this.#codes.size > maxCodes && oldest.done !== true) this.#codes.delete(oldest.value);
        return code;
      }
    );
    this.#codePending.set(hash, requested);
    this.#send({ type: "code", id });
    return requested;
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
function errorMessage(error) {
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
