/** The request line and the headers of an HTTP/1.1 request whose body has arrived as well. */
export type RequestHead = string;

const headEnd = Buffer.from('\r\n\r\n');
const empty = Buffer.alloc(0);

/**
 * Cuts POSTs with a Content-Length out of a byte stream, whatever its chunks, and throws on any other request. It costs far less than
 * `node:http`: a stand-in for another machine must not take processor time from the system under test.
 */
export class RequestFramer {
  #pending: Buffer = empty;
  /** Bytes of the body that are still to come. */
  #left = 0;
  #head: RequestHead = '';

  push(bytes: Buffer, take: (head: RequestHead) => void): void {
    const input = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    let at = 0;
    for (;;) {
      if (this.#head === '') {
        const end = input.indexOf(headEnd, at);
        if (end === -1) break;
        this.#head = input.toString('latin1', at, end);
        const length = /^POST [^\r]* HTTP\/1\.1\r\n(?:.*\r\n)*?content-length: *(\d+)/i.exec(this.#head)?.[1];
        if (length === undefined) throw new Error('Only a POST with a Content-Length is expected.');
        this.#left = Number(length);
        at = end + headEnd.length;
      }
      const taken = Math.min(this.#left, input.length - at);
      at += taken;
      this.#left -= taken;
      if (this.#left > 0) break;
      take(this.#head);
      this.#head = '';
    }
    this.#pending = at === input.length ? empty : Buffer.from(input.subarray(at));
  }
}
