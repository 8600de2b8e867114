type Headers = Record<string, string | string[]>;

const maxHeaderLength = 1_000;

/** What a server says that tells one state of a file from another; undefined where it says nothing. */
export function httpVersion(headers: Headers): string | undefined {
  const etag = [headers['etag']].flat()[0]?.slice(0, maxHeaderLength);
  const modified = [headers['last-modified']].flat()[0]?.slice(0, maxHeaderLength);
  return etag === undefined && modified === undefined ? undefined : JSON.stringify({ etag, modified });
}

/** The same by its content. */
export const hashVersion = (sha256: string): string => JSON.stringify({ sha256 });

/** Headers that ask for a file only where it is another than the last. */
export function conditionsOf(last: string | undefined): Record<string, string> {
  const { etag, modified } = (last === undefined ? {} : JSON.parse(last)) as { etag?: string; modified?: string };
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  };
}
