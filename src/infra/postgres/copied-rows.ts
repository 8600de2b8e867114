import { Readable } from 'node:stream';
import type pg from 'pg';

const codeOf = (letter: string): number => letter.charCodeAt(0);
const row = codeOf('d');
const done = codeOf('c');
/** What comes before the end: that rows follow, the rows, and what a server may say at any time. */
const within = new Set(['H', 'd', 'S', 'N', 'A'].map(codeOf));
const headLength = 5;
/** Up to here, moving bytes one by one is faster than to call for it. */
const shortLength = 64;

/**
 * Postgres sends 8 KiB at a time. For each read of a socket Node takes 64 KiB, which are freed by the next collection of the whole heap: after
 * a read of a few of those the socket rests for a millisecond, so that the next one finds more.
 */
const [fewBytes, manyBytes, restMs] = [4 * 1024, 32 * 1024, 1];

type Take = (bytes: Buffer) => void;

/**
 * The rows that `COPY ... TO STDOUT` sends, each a message of its own, as one stream of bytes. Taking the heads of the messages out of what
 * the socket read costs a row a tenth of what a Buffer for each would.
 */
export class CopiedRows extends Readable implements pg.Submittable {
  readonly #statement: string;
  #socket: pg.Connection['stream'] | undefined;
  /** Reads all other messages. */
  #parse: Take = () => undefined;
  /** Of a head that has not come whole. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of a message that are still to come. */
  #left = 0;
  #isRow = false;
  /** Whether nobody takes rows for now. */
  #isFull = false;
  /** While the socket rests. */
  #rest: NodeJS.Timeout | undefined;

  constructor(statement: string) {
    super();
    this.#statement = statement;
  }

  submit(connection: pg.Connection): void {
    const { stream } = connection;
    this.#socket = stream;
    this.#parse = stream.listeners('data')[0] as Take;
    stream.off('data', this.#parse);
    stream.on('data', this.#take);
    connection.query(this.#statement);
  }

  override _read(): void {
    this.#isFull = false;
    if (!this.#rest) this.#socket?.resume();
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.push(null);
  }

  readonly #take: Take = (read) => {
    const bytes = this.#head.length > 0 ? Buffer.concat([this.#head, read]) : read;
    let at = 0;
    // Rows are moved to the front, over heads that have been read.
    let kept = 0;
    let isOver = false;
    while (at < bytes.length) {
      if (this.#left === 0) {
        if (bytes.length - at < headLength) break;
        const code = bytes[at] as number;
        isOver = !within.has(code);
        if (isOver && code !== done) break;
        this.#isRow = code === row;
        this.#left = bytes.readUInt32BE(at + 1) - (headLength - 1);
        at += headLength;
        if (isOver) break;
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
    this.#head = bytes.subarray(at);
    if (!isOver && read.length >= fewBytes && read.length < manyBytes) this.#takeRest();
    this.#isFull = kept > 0 && !this.push(bytes.subarray(0, kept));
    if (this.#isFull) this.#socket?.pause();
    if (isOver) this.#leave();
  };

  #takeRest(): void {
    this.#socket?.pause();
    this.#rest ??= setTimeout(() => {
      this.#rest = undefined;
      if (!this.#isFull) this.#socket?.resume();
    }, restMs);
  }

  /** Gives the socket back, with what it has read beyond the rows. */
  #leave(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#rest);
    socket?.off('data', this.#take);
    socket?.on('data', this.#parse);
    this.#parse(this.#head);
    socket?.resume();
  }
}
