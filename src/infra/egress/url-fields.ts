import { ValidationError } from '#src/infra/errors.ts';
import type { Egress } from './egress.ts';
import { EgressError } from './errors.ts';

/** Throws a ValidationError at `url` for one that may never be called. */
export function assertMayBeCalled(egress: Pick<Egress, 'check'>, url: string): void {
  try {
    egress.check(url, { secure: true });
  } catch (error) {
    if (error instanceof EgressError) throw new ValidationError({ url: [error.message] });
    throw error;
  }
}

/**
 * Throws a ValidationError at `headers` if stored headers would go to another server than they were given for. Otherwise anyone who may
 * change the URL could read them, although no response shows them.
 */
export function assertHeadersStay({ before, after }: { before: string; after: string }): void {
  if (new URL(before).origin !== new URL(after).origin)
    throw new ValidationError({
      headers: ['The URL leads to another server. Give the headers for it, or null to send none.'],
    });
}
