import { gzipSync } from 'node:zlib';

/** Builds tar archives by hand, because tar libraries refuse to make what attackers send. */
export interface RawEntry {
  path: string | Buffer;
  body?: Buffer | string;
  /** The type flag: '0' file, '1' hard link, '2' symbolic link, '3' device, '5' folder, 'x' pax record, 'L' long name. */
  type?: string;
  linkpath?: string;
  /** The size in the header, if it differs from the body's length. */
  size?: number;
}

export function rawHeader({ path, body = '', type = '0', linkpath = '', size }: RawEntry): Buffer {
  const header = Buffer.alloc(512);
  if (typeof path === 'string') header.write(path, 0, 100, 'utf8');
  else path.copy(header, 0, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(size ?? Buffer.byteLength(body)).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linkpath, 157, 100, 'utf8');
  header.write('ustar\u000000', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export function rawEntry(entry: RawEntry): Buffer {
  const body = Buffer.from(entry.body ?? '');
  const padding = Buffer.alloc((512 - (body.byteLength % 512)) % 512);
  return Buffer.concat([rawHeader(entry), body, padding]);
}

export const rawTar = (...entries: RawEntry[]): Buffer => Buffer.concat([...entries.map(rawEntry), Buffer.alloc(1024)]);

export const rawArchive = (...entries: RawEntry[]): Buffer => gzipSync(rawTar(...entries));

/** One record of a pax header: its length counts itself. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length = String(length).length + Buffer.byteLength(rest);
  }
  return `${length}${rest}`;
}

export const packageFiles = (files: Record<string, string | Buffer>): RawEntry[] =>
  Object.entries(files).map(([path, body]) => ({ path: `package/${path}`, body }));
