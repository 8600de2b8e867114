import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedAttribute } from './attributes/attributes.declarations.ts';
import { auditedContact, contactCreated, contactUpdated } from './contacts/contacts.declarations.ts';
import { contactExportTarget, contactImportTarget } from './contacts/contacts.targets.ts';
import { auditedCostCentre } from './cost-centres/cost-centres.declarations.ts';
import { auditedInboundEndpoint, sealedEndpointSecrets } from './inbound/endpoints.declarations.ts';
import { auditedOrder, orderScopes, orderTopics } from './orders/orders.declarations.ts';
import { orderExportTarget } from './orders/orders.targets.ts';
import {
  auditedOrganization,
  customerScopes,
  organizationCreated,
  organizationUpdated,
} from './organizations/organizations.declarations.ts';
import { organizationExportTarget, organizationImportTarget } from './organizations/organizations.targets.ts';
import { auditedPriceList, auditedPrice, priceScopes, priceChanged } from './prices/prices.declarations.ts';
import { priceExportTarget, priceImportTarget } from './prices/prices.targets.ts';
import {
  auditedProduct,
  productScopes,
  productCreated,
  productDeleted,
  productUpdated,
} from './products/products.declarations.ts';
import { productExportTarget, productImportTarget } from './products/products.targets.ts';
import { auditedCommerceSettings } from './settings/settings.declarations.ts';
import { auditedStock, stockScopes, stockChanged, stockLow } from './stock/stock.declarations.ts';
import { stockExportTarget, stockImportTarget } from './stock/stock.targets.ts';
import {
  auditedDelivery,
  auditedDestination,
  sealedDestination,
  destinationDisabled,
  destinationFailing,
  giveUpDeletedJob,
  webhookScopes,
} from './webhooks/webhooks.declarations.ts';

export const commerceParts: Domain['parts'] = {
  topics: [
    productCreated,
    productUpdated,
    productDeleted,
    organizationCreated,
    organizationUpdated,
    contactCreated,
    contactUpdated,
    priceChanged,
    stockChanged,
    stockLow,
    ...orderTopics,
    destinationFailing,
    destinationDisabled,
  ],
  audited: [
    auditedAttribute,
    auditedProduct,
    auditedCommerceSettings,
    auditedOrganization,
    auditedContact,
    auditedCostCentre,
    auditedPriceList,
    auditedPrice,
    auditedStock,
    auditedOrder,
    auditedInboundEndpoint,
    auditedDestination,
    auditedDelivery,
  ],
  jobs: [giveUpDeletedJob],
  sealedColumns: [sealedEndpointSecrets, sealedDestination],
  importTargets: [
    stockImportTarget,
    priceImportTarget,
    organizationImportTarget,
    contactImportTarget,
    productImportTarget,
  ],
  exportTargets: [
    stockExportTarget,
    priceExportTarget,
    organizationExportTarget,
    contactExportTarget,
    productExportTarget,
    orderExportTarget,
  ],
  scopes: [...productScopes, ...customerScopes, ...priceScopes, ...stockScopes, ...orderScopes, ...webhookScopes],
};
