import { Link } from '@tanstack/react-router';
import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { detail, type Format, nestedList, type Screens } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import { EnterableTenants, TenantPage } from './tenants.documents.ts';
import { tenantWords as w } from './tenants.words.ts';

type Me = ResultOf<typeof EnterableTenants>['me'];

/** A tenant that the viewer may enter, named by its slug, and its organisation in words. */
interface Row {
  id: string;
  name: string;
  org: string;
}

const rowsOf = ({ tenants, orgs }: Me) => ({
  edges: tenants.map(({ slug, name, orgSlug }) => ({
    node: { id: slug, name, org: orgs.find((org) => org.slug === orgSlug)?.name ?? orgSlug },
  })),
  pageInfo: { hasNextPage: false, endCursor: null },
});

const entrance: Format<Row> = {
  text: ({ name }) => name,
  draw: ({ id, name }) => (
    <Link to="/t/$tenant/$noun" params={{ tenant: id, noun: 'overview' }}>
      {name}
    </Link>
  ),
};

/** What the viewer may do, and who decides it. */
function Roles() {
  const [{ data }] = useQuery({ query: EnterableTenants });
  if (!data) return null;
  return <p className="list-hint">{w.roles(data.me.context.roles.map(enumWord).join(', '))}</p>;
}

const tenantList = nestedList(EnterableTenants, ({ me }) => rowsOf(me), {
  summary: () => <Roles />,
  columns: [
    { key: 'name', label: w.name, show: entrance, width: 'minmax(160px, 2fr)' },
    { key: 'slug', label: w.slug, show: format.text((tenant: Row) => tenant.id), width: 'minmax(128px, 1fr)' },
    { key: 'org', label: w.org, show: format.text((tenant: Row) => tenant.org), width: 'minmax(128px, 1fr)' },
  ],
  open: null,
  empty: w.empty,
});

const tenantPage = detail('node', TenantPage, {
  title: (tenant) => tenant.name,
  facts: [
    { key: 'slug', label: w.slug, show: format.handle((tenant) => tenant.slug) },
    {
      key: 'org',
      label: w.org,
      show: format.link(
        'organisations',
        (tenant) => tenant.org,
        (tenant) => tenant.org.name,
      ),
    },
    member('createdAt', format.exactTime),
  ],
  sections: [{ key: 'members', title: w.members, draw: () => <p>{w.membersHint}</p> }],
});

export const tenants: Screens = { list: tenantList, detail: tenantPage };
