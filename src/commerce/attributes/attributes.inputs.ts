import { z } from 'zod';
import { AttributeTarget, AttributeType } from '#prisma/enums.ts';
import { tenantSchema } from '#src/infra/tenant-schemas.ts';

const label = z.string().trim().min(1).max(191);
const options = z
  .array(z.string().trim().min(1).max(191))
  .max(100)
  .refine((all) => new Set(all).size === all.length, 'Name each option once.');

export const createAttributeInput = z.object({
  target: z.enum(AttributeTarget),
  code: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,62}$/,
      'Begin with a letter of a to z, and go on with letters, digits and _; at most 63.',
    ),
  /** Left out: the code. */
  label: label.nullish(),
  type: z.enum(AttributeType),
  options: options.nullish(),
  required: z.boolean().nullish(),
});

export const updateAttributeInput = z.object({
  label: label.nullish(),
  options: options.nullish(),
  required: z.boolean().nullish(),
});

/** The schema of a target's attributes, which each tenant defines for itself. */
export const attributesSchemaName = {
  product: 'ProductAttributes',
  order: 'OrderAttributes',
  organization: 'OrganizationAttributes',
} as const satisfies Record<AttributeTarget, string>;

/** Attributes by code, as a tenant defines them: in an input, `readAttributes` holds the values against the definitions. */
export const attributesOf = (target: AttributeTarget) =>
  z.record(z.string(), z.unknown()).meta(tenantSchema(attributesSchemaName[target]));
