import { z } from 'zod';

const line = z
  .string()
  .trim()
  .max(191)
  .nullish()
  .transform((text) => text ?? null);

/** Where goods or invoices go. A part that is left out is null. */
export const address = z.object({
  type: line,
  name: line,
  street: line,
  postalCode: line,
  city: line,
  country: line,
});
export type Address = z.output<typeof address>;

/** An address in events. */
export const addressData = z.object({
  type: z.string().nullable(),
  name: z.string().nullable(),
  street: z.string().nullable(),
  postal_code: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string().nullable(),
});

/** The address as REST shows it. */
export const addressAsData = ({ postalCode, ...address }: Address): z.input<typeof addressData> => ({
  ...address,
  postal_code: postalCode,
});
