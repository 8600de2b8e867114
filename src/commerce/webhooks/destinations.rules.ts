import type { WebhookDestination } from '#prisma/client.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { isTrue } from '#src/automation/expressions/truth.ts';
import { ValidationError } from '#src/infra/errors.ts';

export const isSigned = ({ signed, secretRef }: Pick<WebhookDestination, 'signed' | 'secretRef'>): boolean =>
  signed || secretRef !== null;

const compile = (filter: string) => compileTemplate({ filter }, { deferred: ['filter'] }).deferred('filter');

/** Throws a ValidationError at `filter` if the text is not a valid expression or reads secrets. */
export function assertFilter(filter: string): void {
  try {
    const { secrets } = compile(filter);
    if (secrets.length > 0) throw new ValidationError({ filter: [noSecrets] });
  } catch (error) {
    if (error instanceof ExpressionError) throw new ValidationError({ filter: [error.reason] });
    throw error;
  }
}

const noSecrets = 'A filter reads the event; secrets are not in its scope.';

/** True if the envelope of an event passes a filter. Rejects with an ExpressionError if the filter fails. */
export async function passesFilter(filter: string, event: { time: string }): Promise<boolean> {
  const value: unknown = await compile(filter).evaluate({
    event,
    trigger: { payload: null, type: 'event', handle: null },
    nodes: {},
    run: { id: 0, started_at: event.time },
    secrets: () => {
      throw new ExpressionError('failed', noSecrets);
    },
  });
  return isTrue(value);
}
