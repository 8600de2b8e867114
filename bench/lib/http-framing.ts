/** One HTTP/1.1 response read from a connection. */
export interface FramedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** False when the server announced that it closes the connection after this response. */
  readonly keepAlive: boolean;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const empty = Buffer.alloc(0);
const maxResponseBytes = 64 * 2 ** 20;

/**
 * Cuts responses out of a byte stream, whatever its chunks. It knows exactly the two framings a keep-alive server may
 * use for a body (Content-Length and chunked) and throws on anything else, so that a bench cannot count a response it
 * did not understand. Requests other than HEAD are assumed.
 */
export class ResponseFramer {
  #pending: Buffer = empty;
  /** Until this many bytes have arrived, the head or body is not examined again. */
  #needed = 0;
  #parts: Buffer[] = [];
  #held = 0;

  /**
   * Takes bytes and returns the responses they complete, in order. Bodies may share memory with `bytes`; data that is kept for the next
   * call does not, so the caller may reuse it.
   */
  push(bytes: Buffer): FramedResponse[] {
    this.#held += bytes.length;
    if (this.#held > maxResponseBytes) throw new Error('The response is larger than a bench should ask for (64 MiB).');
    if (this.#held < this.#needed) {
      this.#parts.push(Buffer.from(bytes));
      return [];
    }
    this.#pending = this.#parts.length === 0 ? bytes : Buffer.concat([...this.#parts, bytes]);
    const responses: FramedResponse[] = [];
    let response = this.#take();
    while (response !== undefined) {
      responses.push(response);
      response = this.#take();
    }
    this.#held = this.#pending.length;
    this.#parts = this.#held === 0 ? [] : [Buffer.from(this.#pending)];
    this.#pending = empty;
    return responses;
  }

  #take(): FramedResponse | undefined {
    this.#needed = 0;
    const input = this.#pending;
    const end = input.indexOf(headEnd);
    if (end === -1) return undefined;
    const head = input.toString('latin1', 0, end).toLowerCase();
    const status = /^http\/1\.1 (\d{3})(?: |$|\r)/.exec(head)?.[1];
    if (status === undefined) throw new Error('The server did not answer in HTTP/1.1.');
    const start = end + headEnd.length;
    const framed = this.#body(Number(status), head, start);
    if (framed === undefined) return undefined;
    this.#pending = input.subarray(framed.end);
    if (Number(status) < 200) return this.#take();
    return { status: Number(status), body: framed.body, keepAlive: !/\r\nconnection:[^\r]*close/.test(head) };
  }

  #body(status: number, head: string, start: number): { body: Buffer; end: number } | undefined {
    if (status < 200 || status === 204 || status === 304) return { body: empty, end: start };
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (length !== undefined) {
      const end = start + Number(length);
      this.#needed = end;
      return this.#pending.length < end ? undefined : { body: this.#pending.subarray(start, end), end };
    }
    if (/\r\ntransfer-encoding: *chunked/.test(head)) return this.#chunks(start);
    throw new Error('The response has neither Content-Length nor chunked framing, so its end cannot be told.');
  }

  #chunks(start: number): { body: Buffer; end: number } | undefined {
    const parts: Buffer[] = [];
    let at = start;
    for (;;) {
      const sizeEnd = this.#pending.indexOf(lineEnd, at);
      if (sizeEnd === -1) return undefined;
      const size = Number.parseInt(this.#pending.toString('latin1', at, sizeEnd), 16);
      if (!Number.isInteger(size) || size < 0) throw new Error('A chunk of the response has no valid size.');
      const dataEnd = sizeEnd + 2 + size;
      if (this.#pending.length < dataEnd + 2) return undefined;
      if (size === 0 && this.#pending.indexOf(lineEnd, dataEnd) !== dataEnd)
        throw new Error('Trailers are not expected.');
      if (size === 0)
        return { body: parts.length === 1 ? (parts[0] ?? empty) : Buffer.concat(parts), end: dataEnd + 2 };
      parts.push(this.#pending.subarray(sizeEnd + 2, dataEnd));
      at = dataEnd + 2;
    }
  }
}
