import { Readable } from 'node:stream';
import type pg from 'pg';

const charCode = (letter: string): number => letter.charCodeAt(0);
const row = charCode('d');
const done = charCode('c');
/** Messages that may come before the end: the start of the copy, rows, and notices. */
const within = new Set(['H', 'd', 'S', 'N', 'A'].map(charCode));
const headLength = 5;
/** Up to this length, a loop moves bytes faster than a call does. */
const shortLength = 64;
/** Reads of the socket, of 64 KiB at most, that may be buffered. */
const waitingReads = 4;

type Take = (bytes: Buffer) => void;

/**
 * The rows that `COPY ... TO STDOUT` sends, each in a message of its own, as one stream of bytes. Removing the message heads within a read
 * of the socket costs a tenth, per row, of creating a Buffer for each. Each chunk is one read of the socket and shares its memory with
 * nothing, so that its consumer may free it. docs/decisions/copied-rows-come-from-the-socket.md compares pg-copy-streams.
 */
export class CopiedRows extends Readable implements pg.Submittable {
  readonly #statement: string;
  #socket: pg.Connection['stream'] | undefined;
  /** Reads all other messages. */
  #parse: Take = () => undefined;
  /** The bytes of a message head that has not arrived completely. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of a message that are still to come. */
  #left = 0;
  #isRow = false;

  constructor(statement: string) {
    // Counted by chunks, because a byte stream would join the chunks that wait.
    super({ objectMode: true, highWaterMark: waitingReads });
    this.#statement = statement;
  }

  /** Takes the socket over from pg. pg hands the error that this returns to `handleError`. */
  submit(connection: pg.Connection): Error | undefined {
    const { stream } = connection;
    const listeners = stream.listeners('data') as Take[];
    const [parse] = listeners;
    if (!parse || listeners.length > 1)
      return new Error(`pg should read its socket with one "data" listener, and has ${listeners.length}. Is it pg 8?`);
    this.#socket = stream;
    this.#parse = parse;
    stream.off('data', this.#parse);
    stream.on('data', this.#take);
    connection.query(this.#statement);
    return undefined;
  }

  override _read(): void {
    this.#socket?.resume();
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.push(null);
  }

  readonly #take: Take = (bytes) => {
    let at = 0;
    // Rows are moved forward, over message heads that have been read.
    let kept = 0;
    let rest: Buffer | undefined;
    while (at < bytes.length) {
      if (this.#left === 0) {
        let [head, headAt] = [bytes, at];
        if (this.#head.length > 0 || bytes.length - at < headLength) {
          [head, headAt] = [Buffer.concat([this.#head, bytes.subarray(at, at + headLength - this.#head.length)]), 0];
          at -= this.#head.length;
          this.#head = head;
          if (head.length < headLength) break;
          this.#head = Buffer.alloc(0);
        }
        at += headLength;
        const code = head[headAt] as number;
        if (!within.has(code)) {
          const read = code === done ? [] : [head.subarray(headAt, headAt + headLength)];
          rest = Buffer.concat([...read, bytes.subarray(at)]);
          break;
        }
        this.#isRow = code === row;
        this.#left = head.readUInt32BE(headAt + 1) - (headLength - 1);
      }
      const end = Math.min(at + this.#left, bytes.length);
      this.#left -= end - at;
      if (!this.#isRow) at = end;
      else if (end - at > shortLength) {
        bytes.copyWithin(kept, at, end);
        kept += end - at;
        at = end;
      } else
        for (; at < end; at += 1) {
          bytes[kept] = bytes[at] as number;
          kept += 1;
        }
    }
    if (kept > 0 && !this.push(bytes.subarray(0, kept))) this.#socket?.pause();
    if (rest) this.#leave(rest);
  };

  /** Returns the socket to the client, together with the bytes read beyond the rows. */
  #leave(rest: Buffer): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.off('data', this.#take);
    socket?.on('data', this.#parse);
    this.#parse(rest);
    socket?.resume();
  }
}
