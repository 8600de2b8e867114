import { lazy } from 'react';
import { OnDemand } from '#console/ui/on-demand.tsx';
import { shellWords } from './shell.words.ts';
import type { Me } from './viewer.documents.ts';

const TenantList = lazy(() => import('./tenant-list.tsx').then(({ TenantList }) => ({ default: TenantList })));

/** The tenant in whose name everything is shown, and the others. */
export function TenantMenu({ tenant, tenants }: { tenant: string; tenants: Me['tenants'] }) {
  const name = tenants.find(({ slug }) => slug === tenant)?.name ?? tenant;
  return (
    <OnDemand className="choices" label={`${shellWords.tenant}: ${name}`} content={name}>
      {() => <TenantList tenant={tenant} tenants={tenants} />}
    </OnDemand>
  );
}
