import { words } from '#console/words/words.ts';

export const organisationWords = words({
  en: {
    name: 'Name',
    slug: 'Slug',
    tenants: 'Tenants',
    created: 'Created',
    add: 'New organisation',
    added: 'The organisation was added.',
    addTenant: 'Add a tenant',
    tenantAdded: 'The tenant was added. Whoever has a token of the organisation may enter it.',
    empty: 'No organisation yet. Add the first: the tokens of its people name it by its slug.',
  },
  de: {
    name: 'Name',
    slug: 'Kürzel',
    tenants: 'Mandanten',
    created: 'Angelegt',
    add: 'Neue Organisation',
    added: 'Die Organisation wurde angelegt.',
    addTenant: 'Mandanten hinzufügen',
    tenantAdded: 'Der Mandant wurde angelegt. Wer ein Token der Organisation hat, darf ihn betreten.',
    empty: 'Noch keine Organisation. Legen Sie die erste an: die Token ihrer Leute nennen sie mit ihrem Kürzel.',
  },
});
