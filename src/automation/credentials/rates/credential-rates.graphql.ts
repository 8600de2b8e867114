import { CredentialRef } from '#src/automation/credentials/credentials.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { maxCounted, type RateState, readRateStates } from './credential-rates.reads.ts';
import { ratePeriods } from './rate-limit.inputs.ts';

const RatePeriod = defineEnum('RatePeriod', ratePeriods, { description: 'The period of a rate limit.' });

interface StatedLimit {
  requests: number;
  per: (typeof ratePeriods)[number];
  burst: number;
}

const RateLimitRef = builder.objectRef<StatedLimit>('CredentialRateLimit').implement({
  description: 'The most requests with a credential, of all workflows and workers together.',
  fields: (t) => ({
    requests: t.exposeInt('requests', { description: 'How many requests a period may have.' }),
    per: t.expose('per', { type: RatePeriod, description: 'The length of the period.' }),
    burst: t.exposeInt('burst', { description: 'How many requests may be sent at once after a pause.' }),
  }),
});

const RateStateRef = builder.objectRef<RateState>('CredentialRateState').implement({
  description: 'The current state of the rate limit of a credential.',
  fields: (t) => ({
    closedUntil: t.expose('closedUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'No request is sent before, because the API asked for a pause; null while requests are sent.',
    }),
    waitingSteps: t.exposeInt('waitingSteps', {
      description: `How many steps wait for their turn, counted up to ${maxCounted}.`,
    }),
  }),
});

const loadStates = createFieldLoader<bigint, RateState>((context, ids) => {
  const { tenantId } = inTenant(context);
  return readRateStates(context.deps.database, tenantId, ids);
});

builder.prismaObjectFields(CredentialRef, (t) => ({
  rateLimit: t.field({
    type: RateLimitRef,
    nullable: true,
    description: 'The stated limit; null where none is stated.',
    select: { rateRequests: true, ratePeriod: true, rateBurst: true },
    resolve: ({ rateRequests: requests, ratePeriod: per, rateBurst: burst }) =>
      requests === null || per === null || burst === null ? null : { requests, per: per as 'second', burst },
  }),
  rateState: t.field({
    type: RateStateRef,
    complexity: 10,
    description: 'The current state of its rate limit, whether the limit is stated or the API has answered with one.',
    resolve: async ({ id }, _args, context, info) =>
      (await loadStates(context, info, id, undefined)) ?? { closedUntil: null, waitingSteps: 0 },
  }),
}));
