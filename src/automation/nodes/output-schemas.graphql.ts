import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { NodeDefinitionRef } from './nodes.graphql.ts';
import { readOutputSamples, sampleLimits, versionKey } from './output-samples.reads.ts';
import { type BranchOutputs, describeOutputs } from './output-schemas.rules.ts';

const NodeOutputSchema = builder.objectRef<BranchOutputs>('NodeOutputSchema').implement({
  description: 'What a node answers on one of its branches.',
  fields: (t) => ({
    branch: t.exposeString('branch', { description: '`default` where the node chooses none.' }),
    schema: t.field({
      type: 'JSON',
      description: 'A JSON Schema (2020-12) of its outputs, as `nodes.<id>.outputs` has them.',
      resolve: ({ schema }) => schema,
    }),
    isInferred: t.exposeBoolean('isInferred', {
      description: 'Parts of the schema come from stored outputs of the tenant, so others may differ.',
    }),
  }),
});

const samples = createFieldLoader((context, keys: string[], _asked: undefined) =>
  readOutputSamples(context.deps.database, inTenant(context).tenantId, keys),
);

builder.prismaObjectField(NodeDefinitionRef, 'outputSchemas', (t) =>
  t.field({
    type: [NodeOutputSchema],
    authScopes: { member: true },
    complexity: 10,
    description: `By branch, from the manifest; where that leaves open what an output holds, from the node's newest ${sampleLimits.samples} stored outputs in the tenant's newest ${sampleLimits.runs} runs.`,
    select: { manifest: true, slug: true, version: true },
    async resolve({ manifest, slug, version }, _args, context, info) {
      const found = await samples(context, info, versionKey(slug, version), undefined);
      return describeOutputs(manifest as unknown as NodeManifest, found ?? []);
    },
  }),
);
