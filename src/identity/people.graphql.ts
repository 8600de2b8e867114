import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { findPeople, maxPeople, type Person } from './people.reads.ts';

const PersonRef = builder.objectRef<Person>('Person').implement({
  description: 'Somebody with a role in the tenant, as the newest token says.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Long', description: 'As `me.user.id` has it.' }),
    name: t.exposeString('name', { description: 'Without a name the address, without one the subject.' }),
    email: t.exposeString('email', { nullable: true, description: 'From the token; null where it has none.' }),
  }),
});

builder.queryField('people', (t) =>
  t.field({
    type: [PersonRef],
    complexity: 10,
    description: `Who has a role in the tenant and has entered it, by name; at most ${maxPeople}, so search among more.`,
    authScopes: { member: true },
    args: {
      search: t.arg.string({ description: 'Part of the name or the address, in any case; at most 191 characters.' }),
    },
    resolve: (_root, { search }, context) => {
      const { deps, tenantId } = inTenant(context);
      return findPeople(deps.database, tenantId, search);
    },
  }),
);
