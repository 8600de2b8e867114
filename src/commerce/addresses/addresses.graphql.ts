import { builder } from '#src/graphql/builder.ts';
import type { Address } from './addresses.inputs.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Address: Address;
  }
}

builder.objectType('Address', {
  description: 'Where goods or invoices go.',
  fields: (t) => ({
    type: t.exposeString('type', { nullable: true, description: 'What it is for, e.g. `billing` or `shipping`.' }),
    name: t.exposeString('name', { nullable: true, description: 'Who receives what is sent there.' }),
    street: t.exposeString('street', { nullable: true, description: 'With the number of the house.' }),
    postalCode: t.exposeString('postalCode', { nullable: true, description: 'As the country writes it.' }),
    city: t.exposeString('city', { nullable: true, description: 'Null where it was not given.' }),
    country: t.exposeString('country', { nullable: true, description: 'As it was given, e.g. `DE`.' }),
  }),
});
