import { defineNode, NodeError } from '@causeway/node-kit';
import { authorization } from './authorization.ts';

export interface GetStockConfig {
  base_url: string;
  article: string;
  credential?: unknown;
}

interface Stock {
  sku: string;
  on_hand: string;
}

export const { execute, migrate } = defineNode<GetStockConfig, Stock, Record<string, unknown>, 'default' | 'unknown'>({
  async execute(ctx) {
    const { base_url, article } = ctx.config;
    const response = await ctx.http.request({
      url: `${base_url.replace(/\/$/, '')}/stock/${encodeURIComponent(article)}`,
      headers: await authorization(ctx),
    });
    if (response.status === 404) return { outputs: { sku: article, on_hand: '0' }, branch: 'unknown' };
    if (response.status !== 200)
      throw new NodeError('ERP_REFUSED', `The ERP answered ${response.status} for ${article}.`);
    const { onHand } = response.body as { onHand: string };
    return { outputs: { sku: article, on_hand: onHand } };
  },
  /** Version 2 calls `article` what version 1 called `sku`. */
  migrate({ sku, ...config }, fromVersion) {
    return Number.parseInt(fromVersion, 10) < 2 ? { ...config, article: sku } : { ...config };
  },
});
