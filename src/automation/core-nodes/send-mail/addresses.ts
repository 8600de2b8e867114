import { z } from 'zod';

export interface Address {
  name: string;
  address: string;
}

const plain = /^[^\s<>@,;:"()[\]\\\p{Cc}]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/u;

/**
 * Reads `name@example.com` or `Name <name@example.com>`; undefined for anything else. Line breaks are refused, because they could begin another
 * header.
 */
export function readAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 400 || /\p{Cc}/u.test(trimmed)) return undefined;
  const open = trimmed.lastIndexOf('<');
  const isNamed = open !== -1 && trimmed.endsWith('>');
  const address = isNamed ? trimmed.slice(open + 1, -1) : trimmed;
  const name = isNamed
    ? trimmed
        .slice(0, open)
        .trim()
        .replace(/^"(.*)"$/, '$1')
    : '';
  return plain.test(address) && !/[<>]/.test(name) ? { name, address } : undefined;
}

const maxAddresses = 100;

/** One address, several addresses separated by commas, or a list. */
export const addressList = z
  .union([z.string().max(20_000), z.array(z.string().max(400)).max(maxAddresses)])
  .transform((given, check) => {
    const texts = typeof given === 'string' ? given.split(/[,;]/).filter((text) => text.trim() !== '') : given;
    const read = texts.map(readAddress);
    if (texts.length <= maxAddresses && read.every((each) => each !== undefined)) return read;
    check.addIssue({
      code: 'custom',
      message: `must be at most ${maxAddresses} mail addresses, such as sales@example.com or Sales <sales@example.com>.`,
    });
    return z.NEVER;
  });
