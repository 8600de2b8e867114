import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedAttribute } from './attributes/attributes.audit.ts';
import { auditedContact } from './contacts/contacts.audit.ts';
import { contactExportTarget } from './contacts/contacts.export-target.ts';
import { contactImportTarget } from './contacts/contacts.import-target.ts';
import { contactCreated, contactUpdated } from './contacts/contacts.topics.ts';
import { auditedCostCentre } from './cost-centres/cost-centres.audit.ts';
import { auditedInboundEndpoint } from './inbound/endpoints.audit.ts';
import { sealedEndpointSecrets } from './inbound/endpoints.sealed.ts';
import { auditedOrder } from './orders/orders.audit.ts';
import { orderExportTarget } from './orders/orders.export-target.ts';
import { orderScopes } from './orders/orders.scopes.ts';
import { orderTopics } from './orders/orders.topics.ts';
import { auditedOrganization } from './organizations/organizations.audit.ts';
import { organizationExportTarget } from './organizations/organizations.export-target.ts';
import { organizationImportTarget } from './organizations/organizations.import-target.ts';
import { customerScopes } from './organizations/organizations.scopes.ts';
import { organizationCreated, organizationUpdated } from './organizations/organizations.topics.ts';
import { auditedPriceList } from './prices/price-lists.audit.ts';
import { auditedPrice } from './prices/prices.audit.ts';
import { priceExportTarget } from './prices/prices.export-target.ts';
import { priceImportTarget } from './prices/prices.import-target.ts';
import { priceScopes } from './prices/prices.scopes.ts';
import { priceChanged } from './prices/prices.topics.ts';
import { auditedProduct } from './products/products.audit.ts';
import { productExportTarget } from './products/products.export-target.ts';
import { productImportTarget } from './products/products.import-target.ts';
import { productScopes } from './products/products.scopes.ts';
import { productCreated, productDeleted, productUpdated } from './products/products.topics.ts';
import { auditedCommerceSettings } from './settings/settings.audit.ts';
import { auditedStock } from './stock/stock.audit.ts';
import { stockExportTarget } from './stock/stock.export-target.ts';
import { stockImportTarget } from './stock/stock.import-target.ts';
import { stockScopes } from './stock/stock.scopes.ts';
import { stockChanged, stockLow } from './stock/stock.topics.ts';
import { auditedDelivery, auditedDestination } from './webhooks/destinations.audit.ts';
import { sealedDestination } from './webhooks/destinations.sealed.ts';
import { destinationDisabled, destinationFailing } from './webhooks/destinations.topics.ts';
import { giveUpDeletedJob } from './webhooks/webhooks.jobs.ts';
import { webhookScopes } from './webhooks/webhooks.scopes.ts';

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
