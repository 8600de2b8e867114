import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';

const line = z
  .string()
  .trim()
  .max(191)
  .nullish()
  .transform((text) => text ?? null);

/** A delivery or billing address. An absent part is null. */
export const address = z
  .object({
    type: line.describe('What it is for, e.g. `billing` or `shipping`.'),
    name: line.describe('Who receives what is sent there.'),
    street: line.describe('With the number of the house.'),
    postalCode: line.describe('As the country writes it.'),
    city: line.describe('Without the postal code.'),
    country: line.describe('E.g. `DE`.'),
  })
  .register(graphTypes, {
    type: 'AddressInput',
    description: 'Where goods or invoices go; each part has at most 191 characters.',
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
