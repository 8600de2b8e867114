import { ExactNumber } from '#console/graph/exact-numbers.ts';

const shownCharacters = 300;

/** A value as one line of JSON, cut after 300 characters without writing the rest of it. */
export function shortJson(value: unknown, most = shownCharacters): string {
  let text = '';
  const isFull = () => text.length > most;
  const write = (inner: unknown): void => {
    if (isFull()) return;
    if (typeof inner === 'string') text += JSON.stringify(inner.slice(0, most + 1));
    else if (typeof inner !== 'object' || inner === null || inner instanceof ExactNumber)
      text += JSON.stringify(inner) ?? 'null';
    else if (Array.isArray(inner)) writeAll('[', inner.entries(), ']');
    else writeAll('{', Object.entries(inner), '}');
  };
  const writeAll = (open: string, members: Iterable<[string | number, unknown]>, close: string) => {
    let before = open;
    for (const [name, inner] of members) {
      if (isFull()) return;
      text += typeof name === 'string' ? `${before}${JSON.stringify(name)}: ` : before;
      write(inner);
      before = ', ';
    }
    text += before === open ? open + close : close;
  };
  write(value);
  return isFull() ? `${text.slice(0, most)}…` : text;
}
