/**
 * Length-prefixed frames over a pipe: `u32 bytes that follow | u32 header bytes | header JSON | body`, little endian,
 * UTF-8. The body stays text, so a large input or output is never escaped into another JSON string.
 *
 * Chosen over `process.send`: the round trip is the same (0.02 ms either way), but a frame's size is known and refused
 * before it is buffered, and nothing from the child goes through `v8.deserialize`.
 */
const prefixBytes = 8;

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export function encodeFrame(header: object, body = ''): Buffer {
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

/** Returns a function that takes chunks as they arrive. It throws FrameError on a frame that is malformed or too large. */
export function createFrameReader(
  maxFrameBytes: number,
  onFrame: (header: string, body: string) => void,
): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
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
      if (headerBytes + 4 > length) throw new FrameError('A frame header is longer than its frame.');
      const end = 4 + length;
      if (buffer.length < end) {
        needed = end;
        break;
      }
      const bodyStart = prefixBytes + headerBytes;
      onFrame(buffer.toString('utf8', prefixBytes, bodyStart), buffer.toString('utf8', bodyStart, end));
      buffer = buffer.subarray(end);
    }
    pending = buffer.length > 0 ? [buffer] : [];
    pendingBytes = buffer.length;
  };
}
