import type { BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import { createBookingBatcher } from '#src/commerce/stock/stock.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Services } from '#src/infra/services.ts';
import { packageVersion } from './commerce-node.ts';
import { exportNodes } from './export-nodes.ts';
import { importNodes } from './import-nodes.ts';
import { commerceNodeManifests } from './manifests.ts';
import { masterDataNodes } from './master-data-nodes.ts';
import { orderNodes } from './order-nodes.ts';
import { priceNodes } from './price-nodes.ts';
import { stockNodes } from './stock-nodes.ts';
import { commerceTemplates } from './templates.ts';

/** Nodes that run the use cases of commerce. The run is their actor: it acts for the ERP, and each step has its effect once. */
export const commercePackage = (deps: Deps, services: Pick<Services, 'imports'>): BuiltinPackage => ({
  name: 'commerce',
  version: packageVersion,
  label: 'Commerce',
  manifests: commerceNodeManifests,
  credentialTypes: [],
  templates: commerceTemplates,
  nodes: [
    ...orderNodes(deps),
    ...stockNodes({ bookings: createBookingBatcher(deps.database) }),
    ...priceNodes(deps),
    ...masterDataNodes(deps),
    ...importNodes(() => services.imports),
    ...exportNodes(() => services.imports),
  ],
});
