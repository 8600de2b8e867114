const closing = Buffer.from('}');

/** The bytes before the shared payload in every `next` message of one operation. */
export const nextPrefix = (operationId: string): Buffer =>
  Buffer.from(`{"id":${JSON.stringify(operationId)},"type":"next","payload":`);

/**
 * A complete WebSocket text frame of a server (RFC 6455: final, unmasked, uncompressed) with a `next` message. The payload is JSON text as
 * bytes, shared by all sockets; only the prefix is the operation's own.
 */
export function nextFrame(prefix: Buffer, payload: Buffer): Buffer {
  const length = prefix.length + payload.length + closing.length;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  prefix.copy(frame, head);
  payload.copy(frame, head + prefix.length);
  closing.copy(frame, head + length - 1);
  return frame;
}
