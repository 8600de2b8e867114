import { z } from 'zod';
import { CreditFallback, PriceStrategy, TaxRounding } from '#prisma/enums.ts';

export const updateCommerceSettingsInput = z.object({
  creditTimeoutMs: z.int().min(100).max(30_000).nullish(),
  creditFallback: z.enum(CreditFallback).nullish(),
  priceStrategy: z.enum(PriceStrategy).nullish(),
  taxRounding: z.enum(TaxRounding).nullish(),
});
