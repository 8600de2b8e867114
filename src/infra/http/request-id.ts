export const requestIdHeader = 'x-request-id';

/** What proxies and shops make ids of requests of; other characters could make log lines unreadable. */
const given = /^[\w.:/+=@-]{1,128}$/;

/** Reads the header `X-Request-Id`; undefined if the sender gave no id, one that is too long, or one with other characters. */
export const readRequestId = (headers: Readonly<Record<string, unknown>>): string | undefined => {
  const id = headers[requestIdHeader];
  return typeof id === 'string' && given.test(id) ? id : undefined;
};
