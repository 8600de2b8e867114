import type { Me } from '#console/graph/viewer.documents.ts';
import { lazily } from '#console/ui/lazily.tsx';
import { OnDemand } from '#console/ui/on-demand.tsx';
import { shellWords } from './shell.words.ts';

const TenantList = lazily(() => import('./tenant-list.tsx').then(({ TenantList }) => TenantList));

/** The tenant in whose name everything is shown, and the others. */
export function TenantMenu({ tenant, tenants }: { tenant: string; tenants: Me['tenants'] }) {
  const name = tenants.find(({ slug }) => slug === tenant)?.name ?? tenant;
  return (
    <OnDemand className="choices" label={`${shellWords.tenant}: ${name}`} content={name}>
      {(button) => <TenantList meanwhile={button} tenant={tenant} tenants={tenants} />}
    </OnDemand>
  );
}
