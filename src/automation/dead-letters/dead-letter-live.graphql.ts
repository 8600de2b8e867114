import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
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
