import { defineNode, NodeError } from '@causeway/node-kit';
import { authorization } from './authorization.ts';

export interface GetStockConfig {
  base_url: string;
  sku: string;
  credential?: unknown;
}

interface Stock {
  sku: string;
  on_hand: string;
}

export const { execute } = defineNode<GetStockConfig, Stock, Record<string, unknown>, 'default' | 'unknown'>({
  async execute(ctx) {
    const { base_url, sku } = ctx.config;
    const response = await ctx.http.request({
      url: `${base_url.replace(/\/$/, '')}/stock/${encodeURIComponent(sku)}`,
      headers: await authorization(ctx),
    });
    if (response.status === 404) return { outputs: { sku, on_hand: '0' }, branch: 'unknown' };
    if (response.status !== 200) throw new NodeError('ERP_REFUSED', `The ERP answered ${response.status} for ${sku}.`);
    const { onHand } = response.body as { onHand: string };
    return { outputs: { sku, on_hand: onHand } };
  },
});
