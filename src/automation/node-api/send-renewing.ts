import type { OpenCredential } from './ports.ts';

/**
 * Sends a request, and once more with another access token if the response is 401 and the credential has one: a provider may end a session
 * early, or never name its lifetime. `isFromApi`: true if the responding server was sent the token.
 */
export async function sendRenewing<R extends { status: number }>(
  credential: Pick<OpenCredential, 'renewIn' | 'renewedInVain'> | undefined,
  headers: Record<string, string>,
  send: (headers: Record<string, string>) => Promise<R>,
  isFromApi: (response: R) => boolean = () => true,
): Promise<R> {
  const response = await send(headers);
  if (response.status !== 401 || !isFromApi(response)) return response;
  const renewed = await credential?.renewIn?.(headers);
  if (!renewed) return response;
  const repeated = await send(renewed);
  if (repeated.status === 401) credential?.renewedInVain?.(renewed);
  return repeated;
}
