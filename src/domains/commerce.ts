import { auditedAttribute } from '#src/commerce/attributes/attributes.declarations.ts';
import { auditedContact, contactCreated, contactUpdated } from '#src/commerce/contacts/contacts.declarations.ts';
import { contactExportTarget, contactImportTarget } from '#src/commerce/contacts/contacts.targets.ts';
import { auditedCostCentre } from '#src/commerce/cost-centres/cost-centres.declarations.ts';
import { auditedInboundEndpoint, sealedEndpointSecrets } from '#src/commerce/inbound/endpoints.declarations.ts';
import { auditedOrder, orderScopes, orderTopics } from '#src/commerce/orders/orders.declarations.ts';
import { orderExportTarget } from '#src/commerce/orders/orders.targets.ts';
import {
  auditedOrganization,
  customerScopes,
  organizationCreated,
  organizationUpdated,
} from '#src/commerce/organizations/organizations.declarations.ts';
import {
  organizationExportTarget,
  organizationImportTarget,
} from '#src/commerce/organizations/organizations.targets.ts';
import { auditedPriceList, auditedPrice, priceScopes, priceChanged } from '#src/commerce/prices/prices.declarations.ts';
import { priceExportTarget, priceImportTarget } from '#src/commerce/prices/prices.targets.ts';
import {
  auditedProduct,
  productScopes,
  productCreated,
  productDeleted,
  productUpdated,
} from '#src/commerce/products/products.declarations.ts';
import { productExportTarget, productImportTarget } from '#src/commerce/products/products.targets.ts';
import { auditedCommerceSettings } from '#src/commerce/settings/settings.declarations.ts';
import { auditedStock, stockScopes, stockChanged, stockLow } from '#src/commerce/stock/stock.declarations.ts';
import { stockExportTarget, stockImportTarget } from '#src/commerce/stock/stock.targets.ts';
import {
  auditedDelivery,
  auditedDestination,
  sealedDestination,
  destinationDisabled,
  destinationFailing,
  giveUpDeletedJob,
  webhookScopes,
} from '#src/commerce/webhooks/webhooks.declarations.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import { hourMs, inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Orders, stock, prices, customers, products and webhooks. */
export const commerce: DomainManifest = {
  name: 'commerce',
  declarations: {
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
  },
  services: async () => (await import('#src/commerce/commerce.ts')).commerceServices,
  handlers: [
    handle(giveUpDeletedJob, async ({ deps }, deleted) =>
      (await import('#src/commerce/webhooks/delivery-changes.service.ts')).giveUpDeleted(deps, deleted),
    ),
  ],
  graphql: () =>
    Promise.all([
      import('#src/commerce/addresses/addresses.graphql.ts'),
      import('#src/commerce/contacts/contacts.graphql.ts'),
      import('#src/commerce/cost-centres/cost-centres.graphql.ts'),
      import('#src/commerce/inbound/call-log.graphql.ts'),
      import('#src/commerce/inbound/endpoints.graphql.ts'),
      import('#src/commerce/metrics/metrics.graphql.ts'),
      import('#src/commerce/organizations/organizations.graphql.ts'),
      import('#src/commerce/attributes/attributes.graphql.ts'),
      import('#src/commerce/order-placement/order-placement.graphql.ts'),
      import('#src/commerce/orders/fulfillments.graphql.ts'),
      import('#src/commerce/orders/order-fulfillments.graphql.ts'),
      import('#src/commerce/orders/order-actions.graphql.ts'),
      import('#src/commerce/orders/order-buyers.graphql.ts'),
      import('#src/commerce/orders/order-live.graphql.ts'),
      import('#src/commerce/orders/orders.graphql.ts'),
      import('#src/commerce/orders/statistics/order-statistics.graphql.ts'),
      import('#src/commerce/orders/story/order-story.graphql.ts'),
      import('#src/commerce/orders/story/run-order.graphql.ts'),
      import('#src/commerce/prices/price-lists.graphql.ts'),
      import('#src/commerce/prices/price-resolution.graphql.ts'),
      import('#src/commerce/prices/prices.graphql.ts'),
      import('#src/commerce/products/products.graphql.ts'),
      import('#src/commerce/settings/settings.graphql.ts'),
      import('#src/commerce/stock/stock.graphql.ts'),
      import('#src/commerce/webhooks/deliveries.graphql.ts'),
      import('#src/commerce/webhooks/statistics/delivery-statistics.graphql.ts'),
      import('#src/commerce/webhooks/delivery-actions.graphql.ts'),
      import('#src/commerce/webhooks/destination-actions.graphql.ts'),
      import('#src/commerce/webhooks/destinations.graphql.ts'),
    ]),
  tenantSchemas: async () => (await import('#src/commerce/attributes/attributes.service.ts')).attributeSchemas,
  routes: async () => ({
    platform: [
      ...(await import('#rest/commerce/products.routes.ts')).productRoutes,
      ...(await import('#rest/commerce/prices.routes.ts')).priceRoutes,
      ...(await import('#rest/commerce/prices.bytes.ts')).priceResolutionRoutes,
      ...(await import('#rest/commerce/customers.routes.ts')).customerRoutes,
      ...(await import('#rest/commerce/stock.routes.ts')).stockRoutes,
      ...(await import('#rest/commerce/orders.routes.ts')).orderRoutes,
      ...(await import('#rest/commerce/inbound.routes.ts')).inboundRoutes,
      ...(await import('#rest/commerce/webhook-destinations.routes.ts')).webhookDestinationRoutes,
      ...(await import('#rest/commerce/webhook-deliveries.routes.ts')).webhookDeliveryRoutes,
    ],
    inbound: (await import('#rest/commerce/inbound.bytes.ts')).inboundCallRoutes,
  }),
  periodicTasks: [
    {
      // Reads and bookings treat expired reservations as free immediately; the ledger must follow within ten seconds.
      name: 'release-expired-reservations',
      everyMs: 1_000,
      work: inBatches(async (deps) =>
        (await import('#src/commerce/stock/stock-expiry.service.ts')).releaseExpiredReservations(deps),
      ),
      fault: 'Expired reservations could not be released.',
    },
    {
      name: 'verify-stock',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: async (deps, signal) =>
        (await import('#src/commerce/stock/stock-verification.service.ts')).verifyNightly(deps, signal),
      fault: 'Stock could not be compared with its ledger.',
    },
    {
      name: 'sweep-inbound-calls',
      everyMs: hourMs,
      work: inBatches(async (deps) =>
        (await import('#src/commerce/inbound/inbound-sweep.service.ts')).sweepInbound(deps),
      ),
      fault: 'Inbound calls past their thirty days could not be deleted.',
    },
    {
      name: 'look-after-webhooks',
      everyMs: minuteMs,
      work: async (deps) =>
        (await import('#workers/commerce/webhooks/failing-destinations.ts')).lookAfterDestinations(deps),
      fault: 'Failing webhook destinations could not be warned of or disabled.',
    },
    {
      name: 'sweep-webhooks',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: async (deps, signal) =>
        (await import('#workers/commerce/webhooks/webhook-retention.ts')).sweepWebhooks(deps, signal),
      fault: 'Old webhook deliveries could not be deleted.',
    },
  ],
  backgroundLoops: async () => [(await import('#workers/commerce/webhooks/webhook-sender.ts')).webhookSender],
};
