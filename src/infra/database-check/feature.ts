import type pg from 'pg';

/** The server that is asked, over connections of its owner. */
export interface AskedServer {
  /** Two sessions that are open at the same time. */
  first: pg.Client;
  second: pg.Client;
  /** Opens another; `options` are start-up parameters. It is closed at the end of the feature. */
  open: (options?: string) => Promise<pg.Client>;
  /** A schema for tables of the check, which is dropped at its end. */
  schema: string;
}

/** Something that the product needs a server to do. */
export interface Feature {
  name: string;
  /** What would not work without it. */
  breaks: string;
  /** The product works without it, but loses what `breaks` says. */
  isOptional?: boolean;
  /** Resolves if the server does it. Throws the server's error, or a `Missing` that says what it does instead. */
  ask: (server: AskedServer) => Promise<void>;
}

/** What a server does in place of what it is asked for. */
export class Missing extends Error {
  override readonly name = 'Missing';
}

/** Runs statements in a transaction that leaves nothing behind, and returns what `read` reads in it. */
export async function within<T>(client: pg.Client, read: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    return await read();
  } finally {
    await client.query('ROLLBACK');
  }
}

type Value = string | number | boolean | null | undefined;

/** The first column of the first row. */
export async function readValue(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<Value> {
  const { rows } = await client.query({ text, values: [...values], rowMode: 'array' });
  return (rows as Value[][])[0]?.[0];
}

/** Throws a `Missing` unless two values are the same. */
export function expectSame(found: Value, wanted: Value, otherwise: string): void {
  if (found !== wanted) throw new Missing(`${otherwise} (${String(found)} instead of ${String(wanted)})`);
}
