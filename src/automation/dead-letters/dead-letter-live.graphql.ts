import type { DeadLetter } from '#prisma/client.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineListUpdate } from '#src/graphql/list-updates.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { readDeadLetterFilter } from './bulk-dead-letters.store.ts';
import { DeadLetterFilterInput, DeadLetterRef } from './dead-letters.graphql.ts';
import { type Captured, watchDeadLetters } from './watch-dead-letters.service.ts';

builder.subscriptionField('deadLetterCaptured', (t) =>
  t.prismaField({
    type: 'DeadLetter',
    authScopes: { member: true },
    description: 'Firings that could not start a run, from now on, as they are captured.',
    subscribe: (_root, _args, context) => new LiveStream(watchDeadLetters(context.deps, inTenant(context).tenantId)),
    resolve: async (query, [tenantId, id]: Captured, _args, context) => {
      const { db } = inTenant(context);
      const letter = await db.deadLetter.findFirst({ ...query, where: { tenantId, id } });
      if (!letter) throw new NotFoundError();
      return letter;
    },
  }),
);

const DeadLetterListUpdate = defineListUpdate(DeadLetterRef);

builder.subscriptionField('deadLettersUpdated', (t) =>
  t.field({
    type: DeadLetterListUpdate,
    authScopes: { member: true },
    description:
      'Follows the list of dead letters: new ones, and those that were replayed or discarded. The first event is `RELOAD`.',
    args: { filter: t.arg({ type: DeadLetterFilterInput, description: 'As for `deadLetters`; left out: all.' }) },
    subscribe(_root, { filter }, context) {
      const { tenantId } = inTenant(context);
      const within = readDeadLetterFilter(filter ?? undefined);
      return new LiveStream(context.automation.liveDeadLetters.follow(tenantId, within));
    },
    resolve: (event: ListEvent<DeadLetter>) => event,
  }),
);
