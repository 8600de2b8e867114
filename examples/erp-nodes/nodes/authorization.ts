import type { NodeContext } from '@causeway/node-kit';

/** The header the ERP wants, or none where the node is used without a credential. */
export async function authorization(
  ctx: Pick<NodeContext<{ credential?: unknown }>, 'config' | 'credentials'>,
): Promise<Record<string, string>> {
  if (ctx.config.credential === undefined || ctx.config.credential === null) return {};
  return { authorization: `Bearer ${String(await ctx.credentials.get('credential', 'token'))}` };
}
