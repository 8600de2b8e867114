import { builder } from '#src/graphql/builder.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { type Captured, watchDeadLetters } from './watch-dead-letters.ts';

builder.subscriptionField('deadLetterCaptured', (t) =>
  t.prismaField({
    type: 'DeadLetter',
    authScopes: { member: true },
    description: 'Firings that could not start a run, from now on, as they are captured.',
    subscribe: (_root, _args, { deps, tenantId }) => new LiveStream(watchDeadLetters(deps, tenantId)),
    resolve: async (query, [tenantId, id]: Captured, _args, { db }) => {
      const letter = await db.deadLetter.findFirst({ ...query, where: { tenantId, id } });
      if (!letter) throw new NotFoundError();
      return letter;
    },
  }),
);
