import type { CredentialTest } from '#src/automation/node-api/builtin-package.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { Deps } from '#src/infra/deps.ts';
import { type CredentialTestOutcome, failed, passed } from './credential-test-outcome.rules.ts';

/** Logs in to the server of a credential with the test of its type. */
export async function testByLogin(
  { egress }: Pick<Deps, 'egress'>,
  test: CredentialTest,
  { slug, values, timeoutMs }: { slug: string; values: Readonly<Record<string, unknown>>; timeoutMs: number },
): Promise<CredentialTestOutcome> {
  const signal = AbortSignal.timeout(timeoutMs);
  const field = async (name: string) => toText(Object.hasOwn(values, name) ? values[name] : undefined);
  try {
    const said = await test({
      signal,
      ports: {
        credentials: { open: async () => ({ type: slug, field }) },
        sockets: { open: (to) => egress.openSocket(to) },
        http: { request: ({ body, ...request }) => egress.request({ ...request, ...(body !== null && { body }) }) },
      },
    });
    return passed(said);
  } catch (error) {
    if (signal.aborted) return failed(`The server did not answer within ${timeoutMs / 1_000} seconds.`);
    if (error instanceof NodeError) return failed(error.message);
    throw error;
  }
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
