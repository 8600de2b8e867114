import type { Verifier } from '#src/infra/signing/verifier-configs.ts';

/** The signature schemes of well-known senders. The config of an endpoint overrides its preset. */
export const endpointPresets = {
  github: {
    verifier: 'hmac',
    config: {
      header: 'X-Hub-Signature-256',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      id_header: 'X-GitHub-Delivery',
    },
  },
  shopify: {
    verifier: 'hmac',
    config: {
      header: 'X-Shopify-Hmac-Sha256',
      algorithm: 'sha256',
      encoding: 'base64',
      id_header: 'X-Shopify-Event-Id',
      // One event, for example a paid order, is sent under several topics.
      id_with_header: 'X-Shopify-Topic',
    },
  },
  stripe: {
    verifier: 'hmac',
    config: {
      header: 'Stripe-Signature',
      algorithm: 'sha256',
      encoding: 'hex',
      pairs: { timestamp: 't', signature: 'v1' },
      tolerance_seconds: 300,
      id_path: 'id',
    },
  },
  svix: { verifier: 'standard_webhooks', config: { header_prefix: 'svix' } },
  woocommerce: {
    verifier: 'hmac',
    config: {
      header: 'X-WC-Webhook-Signature',
      algorithm: 'sha256',
      encoding: 'base64',
      id_header: 'X-WC-Webhook-Delivery-ID',
      // When a webhook is saved, WooCommerce posts its number without a signature, and expects a 200.
      ping_member: 'webhook_id',
    },
  },
  // It signs nothing, and sends a header that the subscriber chooses.
  commercetools: { verifier: 'api_key', config: { header: 'Authorization', id_path: 'id' } },
} as const satisfies Record<string, { verifier: Verifier; config: object }>;

export type EndpointPreset = keyof typeof endpointPresets;
export const endpointPresetNames = Object.keys(endpointPresets) as [EndpointPreset, ...EndpointPreset[]];
