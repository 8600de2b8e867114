import { builder } from '#src/graphql/builder.ts';
import type { Address } from './addresses.inputs.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Address: Address;
  }
  interface GraphInputs {
    AddressInput: { [Part in keyof Address]?: string | null };
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

builder.inputType('AddressInput', {
  description: 'Where goods or invoices go; each part has at most 191 characters.',
  fields: (t) => ({
    type: t.string({ description: 'What it is for, e.g. `billing` or `shipping`.' }),
    name: t.string({ description: 'Who receives what is sent there.' }),
    street: t.string({ description: 'With the number of the house.' }),
    postalCode: t.string({ description: 'As the country writes it.' }),
    city: t.string({ description: 'Without the postal code.' }),
    country: t.string({ description: 'E.g. `DE`.' }),
  }),
});
