import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';

export const readJson = (document: unknown, from?: string): Promise<ApiDescription> =>
  readDescription(Buffer.from(JSON.stringify(document)), from === undefined ? {} : { from });

/** The only operation of a small OpenAPI document: `get` of `/orders` unless `paths` are given. */
export async function readOperation(
  operation: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<{ api: ApiDescription; operation: ApiOperation }> {
  const api = await readJson({
    openapi: '3.1.0',
    info: { title: 'Shop' },
    paths: { '/orders': { get: operation } },
    ...more,
  });
  const [first] = api.operations;
  if (first === undefined) throw new Error(`The operation was skipped: ${api.skipped[0]?.reason ?? ''}`);
  return { api, operation: first };
}
