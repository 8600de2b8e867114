import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { updateCommerceSettingsInput } from './settings.inputs.ts';
import { readCommerceSettings, type Settings, updateCommerceSettings } from './settings.service.ts';

const CreditFallback = defineEnum('CreditFallback', ['allow', 'hold', 'refuse'], {
  description: 'What becomes of an order whose credit workflow does not answer in time.',
  values: {
    allow: 'It is placed as if there were credit.',
    hold: 'It is placed and held until somebody releases it.',
    refuse: 'It is not placed.',
  },
});
const PriceStrategy = defineEnum('PriceStrategy', ['priority', 'cheapest'], {
  description: 'Which of the price lists that apply sets the price.',
  values: { priority: 'The first in order of rank.', cheapest: 'The one with the lowest amount without tax.' },
});
const TaxRounding = defineEnum('TaxRounding', ['line', 'rate', 'total'], {
  description: "Where tax is rounded, half up to the currency's minor unit.",
  values: {
    line: 'For each position.',
    rate: 'For each tax rate, on the sum over its positions, as invoices by EN 16931 are.',
    total: 'Once, on the sum over all positions; those whose prices include the tax apart.',
  },
});

const CommerceSettingsRef = builder.objectRef<Settings>('CommerceSettings').implement({
  description: 'How the tenant prices and taxes orders, and who answers for credit.',
  fields: (t) => ({
    creditWorkflowId: t.expose('creditWorkflowId', {
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the workflow that is asked for the credit of an organization; null asks none.',
    }),
    creditWorkflow: t.prismaField({
      type: 'Workflow',
      nullable: true,
      description: 'The workflow of `creditWorkflowId`; null where none is asked.',
      resolve: (query, { creditWorkflowId: id }, _args, context) => {
        const { db, tenantId } = inTenant(context);
        const asked = { ...query };
        return id === null ? null : db.workflow.findUnique({ ...asked, where: { tenantId_id: { tenantId, id } } });
      },
    }),
    creditTimeoutMs: t.exposeInt('creditTimeoutMs', { description: 'How long its answer is waited for.' }),
    creditFallback: t.expose('creditFallback', { type: CreditFallback, description: 'Where it does not answer.' }),
    priceStrategy: t.expose('priceStrategy', { type: PriceStrategy, description: 'How prices are resolved.' }),
    taxRounding: t.expose('taxRounding', { type: TaxRounding, description: 'How tax is rounded.' }),
  }),
});

builder.queryField('commerceSettings', (t) =>
  t.field({
    type: CommerceSettingsRef,
    description: 'How the tenant prices and taxes orders, and who answers for credit.',
    authScopes: { member: true },
    resolve: (_root, _args, context) => readCommerceSettings(context.deps.database, inTenant(context).tenantId),
  }),
);

builder.relayMutationField(
  'updateCommerceSettings',
  mutationInput(updateCommerceSettingsInput, (t) => ({
    creditWorkflowId: t.id({ description: 'Null asks no workflow; left out, it stays.' }),
  })),
  {
    description: 'Changes what is given and leaves the rest. Orders that were placed before stay as they are.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { creditWorkflowId: id, ...input } }, context) => ({
      commerceSettings: await updateCommerceSettings(context.deps, inTenant(context).actor, {
        ...input,
        creditWorkflowId: id == null ? id : readId('Workflow', id),
      }),
    }),
  },
  {
    outputFields: (t) => ({
      commerceSettings: t.field({ type: CommerceSettingsRef, resolve: ({ commerceSettings }) => commerceSettings }),
    }),
  },
);
