import { verifySignature, WebhookError } from '@causeway/webhook-kit';

/** Why a request is not the platform's, as a sentence; null if it is. Its path and query are signed in place of a body. */
export function findFault({ url, headers, secrets }) {
  if (secrets.length === 0) return 'The extension has no secret. Start it with the one that its registration shows.';
  try {
    verifySignature({ body: url, headers, secret: secrets });
    return null;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return `The request is not signed by the platform: ${error.code}.`;
  }
}
