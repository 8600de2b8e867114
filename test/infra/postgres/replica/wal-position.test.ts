import fc from 'fast-check';
import { expect, test } from 'vitest';
import { later, readPosition, type WalPosition, writePosition } from '#src/infra/postgres/replica/wal-position.ts';

const position: fc.Arbitrary<WalPosition> = fc.record({
  timeline: fc.nat(),
  byte: fc.oneof(fc.nat(300), fc.maxSafeNat()),
});

test('a position is read as it was written, and a later position has a greater text', () => {
  fc.assert(
    fc.property(position, position, (one, other) => {
      const [text, otherText] = [writePosition(one), writePosition(other)];
      expect(readPosition(text)).toEqual(one);
      expect(text > otherText ? one : other).toEqual(later(one, other));
    }),
  );
});
