import type { NodeContext } from '@causeway/node-kit';

/** The ERP's authorization header, or none when the node has no credential. */
export async function authorization(
  ctx: Pick<NodeContext<{ credential?: unknown }>, 'config' | 'credentials'>,
): Promise<Record<string, string>> {
  if (ctx.config.credential === undefined || ctx.config.credential === null) return {};
  return { authorization: `Bearer ${String(await ctx.credentials.get('credential', 'token'))}` };
}
