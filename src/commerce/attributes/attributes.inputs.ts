import { z } from 'zod';
import { AttributeTarget, AttributeType } from '#prisma/enums.ts';
import { graphTypes } from '#src/infra/graph-types.ts';
import { tenantSchema } from '#src/infra/tenant-schemas.ts';

const label = z.string().trim().min(1).max(191);
const options = z
  .array(z.string().trim().min(1).max(191))
  .max(100)
  .refine((all) => new Set(all).size === all.length, 'Name each option once.');

const optionsText = 'Of a select, at most 100 of 1 to 191 characters.';

export const createAttributeInput = z.object({
  target: z.enum(AttributeTarget).register(graphTypes, { type: 'AttributeTarget' }).describe('What carries it.'),
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, 'Begin with a letter of a to z, and go on with letters, digits and _; at most 63.')
    .describe('A letter, then letters, digits and `_`: `^[a-z][a-z0-9_]{0,62}$`.'),
  label: label.nullish().describe('Its name for people, at most 191 characters; left out: the code.'),
  type: z.enum(AttributeType).register(graphTypes, { type: 'AttributeType' }).describe('What values it takes.'),
  options: options.nullish().describe(optionsText),
  required: z.boolean().nullish().describe('From the next write on. Left out: false.'),
});

export const updateAttributeInput = z.object({
  label: label.nullish().describe('Null leaves it as it is.'),
  options: options.nullish().describe(`${optionsText} One that is in use cannot go. Null leaves them as they are.`),
  required: z.boolean().nullish().describe('From the next write on. Null leaves it as it is.'),
});

/** The schema of a target's attributes, which each tenant defines for itself. */
export const attributesSchemaName = {
  product: 'ProductAttributes',
  order: 'OrderAttributes',
  organization: 'OrganizationAttributes',
} as const satisfies Record<AttributeTarget, string>;

/** Attributes by code, as a tenant defines them; for an input, `readAttributes` checks the values against the definitions. */
export const attributesSchema = (target: AttributeTarget) =>
  z.record(z.string(), z.unknown()).meta(tenantSchema(attributesSchemaName[target]));
