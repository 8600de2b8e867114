import { z } from 'zod';
import { builder } from '#src/graphql/builder.ts';
import { globalQuery } from '#src/graphql/paging/ordered-lists.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { type ListedMessage, listMessages, maxListed } from './messages.reads.ts';

const search = z.string().max(191);

const IncomingMessageRef = builder.objectRef<ListedMessage>('IncomingMessage').implement({
  description: 'A message that another system sends, as a package describes it.',
  fields: (t) => ({
    slug: t.string({ description: '`<namespace>:<name>`', resolve: ({ message }) => message.slug }),
    version: t.string({ description: 'Semver.', resolve: ({ message }) => message.version }),
    name: t.string({ description: 'For people.', resolve: ({ message }) => message.name }),
    description: t.string({ description: 'For people.', resolve: ({ message }) => message.description ?? '' }),
    packageName: t.exposeString('packageName', { description: 'The package that brought it.' }),
    headers: t.stringList({
      description: 'Headers that the sender names.',
      resolve: ({ message }) => message.headers ?? [],
    }),
    signatureHeader: t.string({
      nullable: true,
      description: 'The header that seems to hold a signature of the body; a verifier of the trigger can check it.',
      resolve: ({ message }) => message.signature_header,
    }),
    schema: t.field({
      type: 'JSON',
      description: 'A JSON Schema (2020-12) of the body.',
      resolve: ({ message }) => message.schema,
    }),
  }),
});

builder.queryField('incomingMessages', (t) =>
  t.field({
    type: [IncomingMessageRef],
    complexity: 20,
    description: `The messages of all packages, by slug; at most ${maxListed}. A webhook trigger names one in \`config.message.slug\`.`,
    authScopes: { member: true },
    args: {
      search: t.arg.string({
        description: 'Part of the slug, the name or the description, in any case; at most 191 characters.',
      }),
    },
    resolve: (_root, args, { deps }) =>
      listMessages(globalQuery(deps.database), parseInput(search, args.search ?? '', 'search')),
  }),
);
