import { z } from 'zod';

export const registerExtensionInput = z.object({
  url: z
    .string()
    .min(1)
    .max(2_000)
    .describe('The root of the site where the version runs: https, or http for a host that the operator allows.'),
});

export const rejectExtensionInput = z.object({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .describe('What its owner has to change in the next version. At most 1,000 characters.'),
});

export const withdrawExtensionInput = z.object({
  block: z
    .boolean()
    .nullish()
    .describe('Whether it stops at once where it is installed. Left out: it goes on there, and installs nowhere else.'),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .nullish()
    .describe('Why, for those who have it installed; required to block. At most 1,000 characters.'),
});
