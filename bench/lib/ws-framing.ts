/** Opcodes of RFC 6455 that a server may send. */
export const opcodes = { text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

const empty = Buffer.alloc(0);

/**
 * Cuts a server's unmasked, unfragmented, uncompressed frames out of a byte stream, whatever its chunks, at a cost far below a WebSocket
 * library's, so that the counting side is not the bottleneck. Any other frame throws. The argument of `take` is valid only during the call,
 * and `bytes` may be overwritten after it: copy data that is kept.
 */
export class FrameReader {
  #pending: Buffer = empty;

  push(bytes: Buffer, take: (frame: Frame) => void): void {
    const input = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    let at = 0;
    for (;;) {
      if (input.length - at < 2) break;
      const first = input.readUInt8(at);
      const second = input.readUInt8(at + 1);
      if ((first & 0xf0) !== 0x80 || second > 127)
        throw new Error('Only whole, uncompressed, unmasked frames are expected.');
      const lengthBytes = second === 126 ? 2 : second === 127 ? 8 : 0;
      const start = at + 2 + lengthBytes;
      if (input.length < start) break;
      const length =
        second === 126 ? input.readUInt16BE(at + 2) : second === 127 ? Number(input.readBigUInt64BE(at + 2)) : second;
      if (input.length < start + length) break;
      take({ opcode: first & 0x0f, payload: input.subarray(start, start + length) });
      at = start + length;
    }
    this.#pending = at === input.length ? empty : Buffer.from(input.subarray(at));
  }
}

/** A client's frame. Clients must mask; a zero mask is a legal one and leaves the payload as it is. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  if (payload.length > 0xffff) throw new Error('A bench has no message above 64 KiB to send.');
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | payload.length])
      : Buffer.from([0x80 | opcode, 0xfe, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
