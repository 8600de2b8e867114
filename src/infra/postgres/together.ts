/**
 * Waits for statements of one transaction that were sent without waiting for each other, until all have settled, and throws the
 * first failure. Promise.all would return at once, and the others would be sent on a connection that is somebody else's by then.
 */
export async function together<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const settled = await Promise.allSettled(sent);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(sent) as Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }>;
}
