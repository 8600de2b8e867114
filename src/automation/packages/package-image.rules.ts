import { createHash } from 'node:crypto';
import type { PackageImage } from '#src/automation/node-api/manifest.ts';

const KiB = 1024;

/** Enough for icons and logos; a photograph in a node package is a mistake. */
const maxBytes = 512 * KiB;

const startsWith =
  (...signature: number[]) =>
  (content: Buffer): boolean =>
    signature.every((byte, index) => content[index] === byte);

const ascii = (content: Buffer, from: number, to: number): string => content.toString('latin1', from, to);

const formats: Record<string, { contentType: string; matches: (content: Buffer) => boolean }> = {
  svg: { contentType: 'image/svg+xml', matches: (content) => /<svg[\s>]/.test(content.toString('utf8', 0, 4 * KiB)) },
  png: { contentType: 'image/png', matches: startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  jpg: { contentType: 'image/jpeg', matches: startsWith(0xff, 0xd8, 0xff) },
  jpeg: { contentType: 'image/jpeg', matches: startsWith(0xff, 0xd8, 0xff) },
  gif: { contentType: 'image/gif', matches: (content) => /^GIF8[79]a/.test(ascii(content, 0, 6)) },
  webp: {
    contentType: 'image/webp',
    matches: (content) => ascii(content, 0, 4) === 'RIFF' && ascii(content, 8, 12) === 'WEBP',
  },
};

/**
 * Reads an image of a package, or returns what is wrong with it. An svg may contain scripts: serve it with a
 * Content-Security-Policy that blocks them.
 */
export function readPackageImage(path: string, content: Buffer): PackageImage | { reason: string } {
  const format = formats[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  if (format === undefined) return { reason: 'is not an svg, png, jpeg, gif or webp file' };
  if (content.byteLength > maxBytes) return { reason: `is larger than ${maxBytes / KiB} KiB` };
  if (!format.matches(content)) return { reason: `does not hold ${format.contentType}, as its name says` };
  return { path, contentType: format.contentType, content, hash: createHash('sha256').update(content).digest('hex') };
}
