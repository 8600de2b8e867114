import type { ResultOf } from '#console/graph/graphql.ts';
import type { FormMember } from '#console/ui/form/field-props.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { type Column, detail, nestedList, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import {
  CreateOrganisation,
  CreateTenant,
  type OrganisationFacts,
  OrganisationPage,
  Organisations,
} from './organisations.documents.ts';
import { organisationWords as w } from './organisations.words.ts';

type Row = ResultOf<typeof Organisations>['orgs'][number];
type Tenant = ResultOf<typeof OrganisationFacts>['tenants'][number];

const form = { fields: ['id', 'name'], asked: (): Record<string, Partial<FormMember>> => ({ id: { label: w.slug } }) };

/** There are at most a thousand, which come as they are. */
const rowsOf = ({ orgs }: ResultOf<typeof Organisations>) => ({
  edges: orgs.map((node) => ({ node })),
  pageInfo: { hasNextPage: false, endCursor: null },
});

const organisationList = nestedList(Organisations, rowsOf, {
  columns: [
    { key: 'name', label: w.name, show: format.text((org: Row) => org.name), width: 'minmax(160px, 2fr)' },
    { key: 'slug', label: w.slug, show: format.text((org: Row) => org.slug), width: 'minmax(128px, 1fr)' },
    { key: 'tenants', label: w.tenants, show: format.number((org: Row) => org.tenants.length) },
    { key: 'createdAt', label: w.created, show: format.time((org: Row) => org.createdAt) },
  ],
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: CreateOrganisation,
      form,
      done: w.added,
      opens: (payload) => ({ noun: 'organisations', id: (payload['org'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

const tenantColumns: readonly Column<Tenant>[] = [
  {
    key: 'name',
    label: w.name,
    show: format.link(
      'tenants',
      (tenant) => tenant,
      (tenant) => tenant.name,
    ),
  },
  { key: 'slug', label: w.slug, show: format.text((tenant) => tenant.slug) },
  { key: 'created', label: w.created, show: format.exactTime((tenant) => tenant.createdAt) },
];

const organisationPage = detail('node', OrganisationPage, {
  title: (org) => org.name,
  facts: [
    { key: 'slug', label: w.slug, show: format.handle((org) => org.slug) },
    member('createdAt', format.exactTime),
  ],
  sections: [
    {
      key: 'tenants',
      title: w.tenants,
      draw: ({ tenants }) => <Table rows={tenants} columns={tenantColumns} label={w.tenants} />,
    },
  ],
  actions: [
    {
      key: 'add',
      label: w.addTenant,
      document: CreateTenant,
      allowed: (org) => org.viewerCan.createTenant,
      input: ({ slug }) => ({ orgId: slug }),
      form,
      done: w.tenantAdded,
    },
  ],
});

export const organisations: Screens = { list: organisationList, detail: organisationPage };
