import { expect, test } from 'vitest';
import { isBinary } from '#console/imports/bulk-jobs/new-import/file-head.ts';

test.each([
  ['a picture', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1), 'utf-16be', true],
  ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'utf-8', true],
  ['text', new TextEncoder().encode('sku\tname\r\nÖL-1\tÖl\f\n'), 'utf-8', false],
  ['text of two bytes a letter', new Uint8Array(Buffer.from('\ufeffsku;n\r\nÖL;Öl', 'utf16le')), 'utf-16le', false],
  ['text of DOS', Uint8Array.of(0x41, 0x3b, 0x84), 'cp850', false],
  ['a packed file', Uint8Array.of(0x1f, 0x8b, 8, 0), 'utf-8', false],
] as const)('%s is told from a file of records: %#', (_what, head, encoding, expected) => {
  expect(isBinary(head, { format: 'CSV', encoding })).toBe(expected);
});
