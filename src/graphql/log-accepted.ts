import type { Context } from './context.ts';

/**
 * Logs what was made for a request, so that its sender's id finds it in the log. Requests whose sender gave no id have no such line: nobody
 * would search for it.
 */
export function logAccepted({ incoming: { log, sentId }, tenant }: Context, made: Record<string, unknown>): void {
  if (sentId !== undefined) log.info({ requestId: sentId, tenantId: tenant?.id, ...made }, 'accepted');
}
