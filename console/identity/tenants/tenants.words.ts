import { words } from '#console/words/words.ts';

export const tenantWords = words({
  en: {
    name: 'Name',
    slug: 'Slug',
    org: 'Organisation',
    members: 'Members',
    membersHint:
      'Whoever your identity provider gives a token of the organisation may enter the tenant, unless the token names others. The roles stand in the token too.',
    roles: (roles: string) =>
      `These are the tenants that you may enter. Your roles: ${roles}. Your identity provider decides both; sign in again after a change there.`,
    empty: 'You may enter no tenant. An administrator of your organisation has to give you one.',
  },
  de: {
    name: 'Name',
    slug: 'Kürzel',
    org: 'Organisation',
    members: 'Mitglieder',
    membersHint:
      'Den Mandanten betritt, wem Ihr Identitätsanbieter ein Token der Organisation gibt, wenn es nicht andere nennt. Auch die Rollen stehen im Token.',
    roles: (roles: string) =>
      `Diese Mandanten dürfen Sie betreten. Ihre Rollen: ${roles}. Beides entscheidet Ihr Identitätsanbieter; melden Sie sich nach einer Änderung dort neu an.`,
    empty: 'Sie dürfen keinen Mandanten betreten. Ein Administrator Ihrer Organisation muss Ihnen einen geben.',
  },
});
