import type { Tx } from '#src/infra/postgres/tx.ts';

// Postgres allows 8,000 bytes per notification.
const maxBytes = 7_500;

/**
 * Sends `entries` on a Postgres channel, as JSON arrays in as few notifications as their size allows. They are delivered when
 * the transaction commits.
 */
export async function notify(tx: Tx, channel: string, entries: unknown[]): Promise<void> {
  const chunks: string[] = [];
  let chunk = '';
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    if (chunk !== '' && chunk.length + text.length + 1 > maxBytes) {
      chunks.push(`[${chunk}]`);
      chunk = '';
    }
    chunk = chunk === '' ? text : `${chunk},${text}`;
  }
  if (chunk !== '') chunks.push(`[${chunk}]`);
  if (chunks.length === 0) return;
  await tx.query({
    name: 'notify',
    text: 'SELECT pg_notify($1, chunk) FROM unnest($2::text[]) AS chunk',
    values: [channel, chunks],
  });
}
