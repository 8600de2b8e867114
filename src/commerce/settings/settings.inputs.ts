import { z } from 'zod';
import { CreditFallback, PriceStrategy, TaxRounding } from '#prisma/enums.ts';
import { graphTypes } from '#src/infra/graph-types.ts';

export const updateCommerceSettingsInput = z.object({
  creditTimeoutMs: z.int().min(100).max(30_000).nullish().describe('From 100 to 30000; null leaves it as it is.'),
  creditFallback: z
    .enum(CreditFallback)
    .register(graphTypes, { type: 'CreditFallback' })
    .nullish()
    .describe('Null leaves it as it is.'),
  priceStrategy: z
    .enum(PriceStrategy)
    .register(graphTypes, { type: 'PriceStrategy' })
    .nullish()
    .describe('Null leaves it as it is.'),
  taxRounding: z
    .enum(TaxRounding)
    .register(graphTypes, { type: 'TaxRounding' })
    .nullish()
    .describe('Null leaves it as it is.'),
});
