import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '#test/setup/any-text.ts';
import { FrameError, createFrameReader, encodeFrame } from '#workers/runtime/frames.ts';

test('frames are read as they were written, however the bytes are split', () => {
  const frame = fc.record({ header: fc.dictionary(fc.string(), fc.string()), body: anyText() });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat({ max: 40 })), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(({ header, body }) => encodeFrame(header, body)));
      const got: { header: unknown; body: string }[] = [];
      const read = createFrameReader(1_000_000, (header, body) => got.push({ header: JSON.parse(header), body }));
      let at = 0;
      for (const cut of cuts) {
        read(bytes.subarray(at, at + cut));
        at += cut;
      }
      read(bytes.subarray(at));
      expect(got).toEqual(
        frames.map(({ header, body }) => ({ header: JSON.parse(JSON.stringify(header)), body: body.toWellFormed() })),
      );
    }),
  );
});

test('a frame that is too large, or whose header is longer than itself, is refused before it is read', () => {
  const tooLarge = Buffer.alloc(8);
  tooLarge.writeUInt32LE(2000, 0);
  expect(() => createFrameReader(1000, () => {})(tooLarge)).toThrow(FrameError);
  const lying = Buffer.alloc(8);
  lying.writeUInt32LE(10, 0);
  lying.writeUInt32LE(50, 4);
  expect(() => createFrameReader(1000, () => {})(lying)).toThrow(FrameError);
});
