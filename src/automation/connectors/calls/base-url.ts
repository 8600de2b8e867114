import { withoutUser } from '#src/automation/http-calls/without-user.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import { invalid, readOption, type Values } from './values.ts';

const rule =
  'must be an http or https URL without a user name, a query and a fragment, such as https://api.example.com/v1.';

const isBaseUrl = (text: string): boolean =>
  /^https?:\/\/[^/?#]/i.test(text) && !/[?#]/.test(text) && URL.canParse(text) && withoutUser(text);

/**
 * Finds the address that a call is sent to: the credential's, else the config's, else the description's. The text is not normalised,
 * because a parsed URL has its host in lower case, and a secret in it would no longer be recognised and redacted.
 */
export async function findBaseUrl(
  call: ApiCall,
  values: Values,
  credential: OpenCredential | undefined,
): Promise<string> {
  const own = await credential?.field('base_url');
  if (own !== undefined && own !== '') {
    if (!isBaseUrl(own)) throw new NodeError('CREDENTIAL_INCOMPLETE', `The credential's base_url ${rule}`);
    return trimmed(own);
  }
  const given = readOption(call, values, 'base_url') ?? call.base_url;
  if (given === undefined && credential) {
    throw new NodeError(
      'CREDENTIAL_INCOMPLETE',
      'The credential has no address of the API (base_url); enter it in the credential.',
    );
  }
  if (given === undefined) throw invalid('base_url', 'is required, as the description of the API names no server.');
  if (typeof given !== 'string' || !isBaseUrl(given)) throw invalid('base_url', rule);
  return trimmed(given);
}

const trimmed = (url: string): string => {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
};
